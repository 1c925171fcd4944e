import type { App } from 'electron';
import { deepLinkIn } from './deep-links.ts';

export interface SecondStart {
  /** Another start of the app, with the link that it was given if any: the first one shows it. */
  readonly onStart: (link: string | undefined) => void;
}

/**
 * Makes this process the only one of its user, or returns false: then the first one has been told and this one ends.
 * Links arrive as an argument on Linux and Windows, and as an event on macOS.
 */
export function claimSingleInstance(
  app: Pick<App, 'requestSingleInstanceLock' | 'on'>,
  { onStart }: SecondStart,
): boolean {
  if (!app.requestSingleInstanceLock()) return false;
  app.on('second-instance', (_event, argv) => onStart(deepLinkIn(argv)));
  app.on('open-url', (event, url) => {
    event.preventDefault();
    onStart(deepLinkIn([url]));
  });
  return true;
}
