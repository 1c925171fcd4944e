import type { BrowserWindow, BrowserWindowConstructorOptions } from 'electron';
import type { WindowChannel } from '../../ipc/electron-ipc.ts';
import { pageAddress } from './bundle-address.ts';
import { lockNavigation } from './navigation.ts';
import { serveWindow } from './window-ports.ts';

export interface OpenWindowOptions {
  readonly create: (options: BrowserWindowConstructorOptions) => BrowserWindow;
  readonly options: BrowserWindowConstructorOptions;
  /** The page to begin with, as in the address; the window's own first page when undefined. */
  readonly hash: string | undefined;
  /** A page of the window that begins to talk. */
  readonly accept: (page: WindowChannel) => void;
  /** Hears of what a page tried and may not, and of its crashes. */
  readonly log: (line: string) => void;
}

/** Crashes of one window's page after which it is not loaded again. */
const mostCrashes = 3;

/** Opens a window on the app's page: locked to it, connected to main, shown once it has painted. */
export function openWindow({ create, options, hash, accept, log }: OpenWindowOptions): BrowserWindow {
  const window = create(options);
  const contents = window.webContents;
  lockNavigation(contents, (what, address) => log(`refused a ${what}: ${address}`));
  serveWindow({ contents, accept, refused: (address) => log(`refused a message of ${address}`) });
  window.once('ready-to-show', () => window.show());
  let crashes = 0;
  contents.on('render-process-gone', (_event, { reason }) => {
    crashes += 1;
    log(`the window's page ended: ${reason}`);
    // Sessions are main's and go on; a page can always be made again, unless it is itself what crashes.
    if (reason !== 'clean-exit' && crashes <= mostCrashes && !window.isDestroyed()) contents.reload();
  });
  void window.loadURL(pageAddress + (hash ?? ''));
  return window;
}

/** Brings a window to the front, on a page if one is given; only the fragment changes, so nothing is loaded anew. */
export function showWindow(window: BrowserWindow, hash: string | undefined): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
  if (hash !== undefined) void window.loadURL(pageAddress + hash);
}
