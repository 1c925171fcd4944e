import type { Connection } from '../ipc/connection.ts';

/** Everything that is loaded when it is first shown. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('../features/workloads/workloads-page.tsx'),
  () => import('../features/workloads/workload-page.tsx'),
  () => import('../features/session/session-page.tsx'),
  () => import('./questions.tsx'),
  () => import('../ui/toasts.tsx'),
  () => import('./task-list.tsx'),
  () => import('./command-palette.tsx'),
  () => import('./quick-switch.tsx'),
  () => import('./detached-frame.tsx'),
  () => import('../features/terminal/dock-actions.tsx'),
  () => import('../features/terminal/dock.tsx'),
  () => import('../features/terminal/session-terminal.tsx'),
  () => import('../features/terminal/terminal-view.tsx'),
  () => import('../features/logs/log-view.tsx'),
  () => import('../features/leftovers/leftovers-page.tsx'),
  () => import('../features/settings/settings-page.tsx'),
  () => import('../features/welcome/welcome-page.tsx'),
  () => import('./shortcut-sheet.tsx'),
];

/** Long enough after the first paint to be in nobody's way, and between two tries, in milliseconds. */
const afterMs = 2_000;
/** How often one part is tried. */
const mostTries = 5;

/**
 * Loads what was not shown yet, one part after the other. The parts come from main: once it is gone, a page that was
 * never seen could not be opened, nor a dialog that says what is wrong.
 */
export async function loadLaterParts(connection: Pick<Connection, 'state' | 'subscribe'>): Promise<void> {
  for (const load of parts) {
    for (let tries = 0; tries < mostTries; tries++) {
      await passed(tries === 0 && load !== parts[0] ? 0 : afterMs);
      await opened(connection);
      if (tries > 0) loadStylesAgain();
      try {
        await load();
        break;
      } catch {
        // Tried again; a page that cannot be loaded says so when it is shown.
      }
    }
  }
}

function passed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function opened(connection: Pick<Connection, 'state' | 'subscribe'>): Promise<void> {
  return new Promise((resolve) => {
    if (connection.state === 'open') return resolve();
    const stop = connection.subscribe(() => {
      if (connection.state !== 'open') return;
      stop();
      resolve();
    });
  });
}

/** A part's code is asked for again after a failure, its styles are not: the bundler counts them as there. */
function loadStylesAgain(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
    if (link.sheet === null) link.replaceWith(link.cloneNode());
}
