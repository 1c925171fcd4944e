import type { App, BrowserWindow, Dialog } from 'electron';
import { decideClose, leftBehind, type CloseQuestion } from './close-decision.ts';

/** What the app must not lose. */
export interface GuardedSessions {
  /** Those that hold a workload, like `web in shop (staging)`. */
  running(): readonly string[];
  /** Stops all and resolves with what could not be put back, a sentence each. */
  stopAll(): Promise<readonly string[]>;
}

export interface Closing {
  /** Has to be called for each new main window: the last one that closes ends the app (but on macOS). */
  watch(window: Pick<BrowserWindow, 'on'>): void;
  /** The system or a terminal wants the app to end: sessions are stopped, nobody is asked. */
  stopAndQuit(): Promise<void>;
}

export interface ClosingOptions {
  readonly app: Pick<App, 'on' | 'quit' | 'exit'>;
  readonly dialog: Pick<Dialog, 'showMessageBox'>;
  readonly sessions: GuardedSessions;
  readonly platform: NodeJS.Platform;
  /** How many main windows are open: one that closes counts until it is closed. */
  readonly windows: () => number;
}

/** Stands between every way of quitting and the running sessions. */
export function guardClosing({ app, dialog, sessions, platform, windows }: ClosingOptions): Closing {
  let allowed = false;
  let asking = false;
  let stopping: Promise<readonly string[]> | undefined;

  const quit = (): void => {
    allowed = true;
    app.quit();
  };
  const stopThenQuit = async (tell: boolean): Promise<void> => {
    stopping ??= sessions.stopAll();
    const remaining = await stopping.catch((error: unknown) => [String(error)]);
    if (tell && remaining.length > 0 && !allowed)
      await dialog.showMessageBox({ type: 'warning', buttons: ['Quit'], ...leftBehind(remaining) });
    quit();
  };
  const confirm = async ({ message, detail, buttons }: CloseQuestion): Promise<boolean> => {
    const choice = await dialog.showMessageBox({
      type: 'question',
      message,
      detail,
      buttons: [...buttons],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    });
    return choice.response === 1;
  };
  const request = async (): Promise<void> => {
    if (asking || allowed) return;
    asking = true;
    try {
      const decision = decideClose({ sessions: sessions.running(), stopping: stopping !== undefined });
      switch (decision.kind) {
        case 'quit':
          return quit();
        case 'ask-to-stop':
          if (await confirm(decision.question)) void stopThenQuit(true);
          return;
        case 'ask-to-leave':
          if (await confirm(decision.question)) {
            allowed = true;
            app.exit(0);
          }
          return;
      }
    } finally {
      asking = false;
    }
  };

  app.on('before-quit', (event) => {
    if (allowed) return;
    event.preventDefault();
    void request();
  });
  app.on('window-all-closed', () => {
    if (platform !== 'darwin') void request();
  });
  return {
    watch(window) {
      window.on('close', (event) => {
        // While it asks, the window stays: it shows what is asked about. On macOS the app goes on without one.
        if (allowed || platform === 'darwin' || windows() > 1 || sessions.running().length === 0) return;
        event.preventDefault();
        void request();
      });
      window.on('closed', () => {
        // Windows with a detached terminal or log do not keep the app: without a dock there is no way back.
        if (platform !== 'darwin' && windows() === 0) void request();
      });
    },
    stopAndQuit: () => stopThenQuit(false),
  };
}
