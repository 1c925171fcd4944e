import type { Event } from '../base/event.ts';

/** What a watcher saw: a path to look at, or that it may have missed something. */
export type WatchHint =
  | { readonly kind: 'path'; readonly path: string }
  /** Watched only from now on: whatever is in it may have come without a hint. */
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'missed'; readonly reason: string };

/** Tells where something may have changed below a folder. Started before the first scan, so that nothing falls between. */
export interface Watcher extends AsyncDisposable {
  readonly onHint: Event<WatchHint>;
  /** Sentences for the user: a limit reached, polling begun. */
  readonly onNotice: Event<string>;
  /** Resolves when every folder that is there now is watched. */
  start(signal?: AbortSignal): Promise<void>;
}
