import type { WebContents } from 'electron';
import type { DownFrame, FramePort } from '../../../contract/wire.ts';
import { isOwnSender } from './sender.ts';

/** The one channel between a window and main; preload/preload.ts has the other end. */
const channel = 'slipway';

export interface WindowPortsOptions {
  readonly contents: Pick<WebContents, 'id' | 'ipc' | 'on' | 'send' | 'isDestroyed'>;
  /** A page that begins to talk: once for each time that it is loaded. */
  readonly accept: (port: FramePort<DownFrame, unknown>) => void;
  /** A message that is not from our page. */
  readonly refused: (address: string) => void;
}

/**
 * Gives each page of a window its own connection to main: opened by its first frame, closed when the page is
 * reloaded, resets, crashes or goes, so that nothing of it stays open in main.
 */
export function serveWindow({ contents, accept, refused }: WindowPortsOptions): void {
  let port: WindowPort | undefined;
  const close = (): void => {
    const closing = port;
    port = undefined;
    closing?.close();
  };
  contents.ipc.on(channel, (event, message: unknown) => {
    if (!isOwnSender(event, contents.id)) {
      refused(event.senderFrame?.url ?? '');
      return;
    }
    if (typeof message !== 'object' || message === null) return;
    if ('reset' in message) close();
    if (!('frame' in message)) return;
    if (port === undefined) {
      const opened = new WindowPort(contents, () => {
        if (port === opened) port = undefined;
      });
      port = opened;
      accept(opened);
    }
    port.take(message.frame);
  });
  contents.on('did-start-navigation', (event) => {
    if (event.isMainFrame && !event.isSameDocument) close();
  });
  contents.on('render-process-gone', close);
  contents.on('destroyed', close);
}

class WindowPort implements FramePort<DownFrame, unknown> {
  /** Electron does not tell; streams have their own credit. */
  readonly bufferedBytes = 0;
  readonly #contents: WindowPortsOptions['contents'];
  readonly #closed: () => void;
  readonly #frameListeners: ((frame: unknown) => void)[] = [];
  readonly #closeListeners: (() => void)[] = [];
  #open = true;

  constructor(contents: WindowPortsOptions['contents'], closed: () => void) {
    this.#contents = contents;
    this.#closed = closed;
  }

  send(frame: DownFrame): void {
    if (this.#open && !this.#contents.isDestroyed()) this.#contents.send(channel, frame);
  }

  take(frame: unknown): void {
    for (const listener of this.#frameListeners) listener(frame);
  }

  onFrame(listener: (frame: unknown) => void): void {
    this.#frameListeners.push(listener);
  }

  onClose(listener: () => void): void {
    this.#closeListeners.push(listener);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#closed();
    for (const listener of this.#closeListeners) listener();
  }
}
