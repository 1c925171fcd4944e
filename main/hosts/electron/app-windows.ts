import type { BrowserWindow } from 'electron';
import { SlipwayError } from '../../base/errors.ts';
import { showWindow } from './window.ts';

/** Windows with one terminal or log, at once. */
const mostDetached = 32;

export type WindowSort =
  /** The whole frame: pages, side, dock. The app lives as long as one of these is open. */
  | 'main'
  /** One terminal or log that was taken out of a dock. */
  | 'detached';

export interface AppWindowsOptions {
  /** Makes a window. */
  readonly open: (sort: WindowSort, hash: string | undefined) => BrowserWindow;
  /** A main window was made. It hears of its end after this class, which counts it no more by then. */
  readonly onMain: (window: BrowserWindow) => void;
}

/**
 * The windows that are open. Links, settings and further starts are shown in a main one, and the end of the app is a
 * matter of main ones: a detached one comes and goes by itself, and what is in it lives in main.
 */
export class AppWindows {
  readonly #options: AppWindowsOptions;
  readonly #main = new Set<BrowserWindow>();
  readonly #detached = new Set<BrowserWindow>();

  constructor(options: AppWindowsOptions) {
    this.#options = options;
  }

  /** How many main windows are open. */
  get mainCount(): number {
    return this.#main.size;
  }

  openMain(hash: string | undefined): void {
    const window = this.#options.open('main', hash);
    keep(this.#main, window);
    this.#options.onMain(window);
  }

  /** Throws when there are too many: each is a process of its own. */
  openDetached(hash: string): void {
    if (this.#detached.size >= mostDetached)
      throw new SlipwayError({
        code: 'usage.invalid',
        message: `There are ${mostDetached} windows with a terminal or a log already.`,
        next: 'Close one of them first.',
      });
    keep(this.#detached, this.#options.open('detached', hash));
  }

  /** Brings a main window to the front, the one with the focus if it is one, and opens one when there is none. */
  show(focused: BrowserWindow | null, hash: string | undefined): void {
    const [first] = this.#main;
    if (first === undefined) return this.openMain(hash);
    showWindow(focused !== null && this.#main.has(focused) ? focused : first, hash);
  }
}

function keep(windows: Set<BrowserWindow>, window: BrowserWindow): void {
  windows.add(window);
  window.on('closed', () => windows.delete(window));
}
