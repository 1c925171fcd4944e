import type { WebContents } from 'electron';
import type { WindowChannel } from '../../ipc/electron-ipc.ts';
import { isOwnSender } from './sender.ts';

/** The one channel between a window and main; preload/preload.ts has the other end. */
const channel = 'slipway';

export interface WindowPortsOptions {
  readonly contents: Pick<WebContents, 'id' | 'ipc' | 'on' | 'send' | 'isDestroyed'>;
  /** A page that begins to talk: once for each time that it is loaded. */
  readonly accept: (page: WindowChannel) => void;
  /** A message that is not from our page. */
  readonly refused: (address: string) => void;
}

/**
 * Gives each page of a window its own connection to main: opened by its first frame, closed when the page is
 * reloaded, resets, crashes or goes, so that nothing of it stays open in main.
 */
export function serveWindow({ contents, accept, refused }: WindowPortsOptions): void {
  let page: PageChannel | undefined;
  const close = (): void => {
    page?.close();
    page = undefined;
  };
  contents.ipc.on(channel, (event, message: unknown) => {
    if (!isOwnSender(event, contents.id)) {
      refused(event.senderFrame?.url ?? '');
      return;
    }
    if (typeof message !== 'object' || message === null) return;
    if ('reset' in message) close();
    if (!('frame' in message)) return;
    if (page === undefined) {
      page = new PageChannel(contents);
      accept(page);
    }
    page.take(message.frame);
  });
  contents.on('did-start-navigation', (event) => {
    if (event.isMainFrame && !event.isSameDocument) close();
  });
  contents.on('render-process-gone', close);
  contents.on('destroyed', close);
}

/** The messages of one page, until it is gone. */
class PageChannel implements WindowChannel {
  readonly #contents: WindowPortsOptions['contents'];
  readonly #messageListeners: ((frame: unknown) => void)[] = [];
  readonly #closeListeners: (() => void)[] = [];
  #open = true;

  constructor(contents: WindowPortsOptions['contents']) {
    this.#contents = contents;
  }

  send(frame: unknown): void {
    if (this.#open && !this.#contents.isDestroyed()) this.#contents.send(channel, frame);
  }

  take(frame: unknown): void {
    for (const listener of this.#messageListeners) listener(frame);
  }

  onMessage(listener: (frame: unknown) => void): void {
    this.#messageListeners.push(listener);
  }

  onClose(listener: () => void): void {
    this.#closeListeners.push(listener);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const listener of this.#closeListeners) listener();
  }
}
