import type { App } from 'electron';
import { deepLinkIn } from './deep-links.ts';

/** Further starts of the app, each with the link that it was given, if any. */
export interface Starts {
  /** Hands over those from now on, and the latest one from before. */
  onStart(listener: (link: string | undefined) => void): void;
}

/**
 * Makes this process the only one of its user, or returns undefined: then the first one has been told and this one
 * ends. Links arrive as an argument on Linux and Windows, and as an event on macOS, which may come before the app is
 * ready.
 */
export function claimSingleInstance(app: Pick<App, 'requestSingleInstanceLock' | 'on'>): Starts | undefined {
  if (!app.requestSingleInstanceLock()) return undefined;
  let listener: ((link: string | undefined) => void) | undefined;
  let waiting: { readonly link: string | undefined } | undefined;
  const start = (link: string | undefined): void => {
    if (listener === undefined) waiting = { link };
    else listener(link);
  };
  app.on('second-instance', (_event, argv) => start(deepLinkIn(argv)));
  app.on('open-url', (event, url) => {
    event.preventDefault();
    start(deepLinkIn([url]));
  });
  return {
    onStart(added) {
      listener = added;
      if (waiting !== undefined) added(waiting.link);
      waiting = undefined;
    },
  };
}
