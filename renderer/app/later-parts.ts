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

/** Long enough after the first paint to be in nobody's way, in milliseconds. */
const afterMs = 2_000;

/**
 * Loads what was not shown yet, one part after the other. The parts come from main: once it is gone, a page that was
 * never seen could not be opened, nor a dialog that says what is wrong.
 */
export function loadLaterParts(): void {
  setTimeout(() => void loadAll(), afterMs);
}

async function loadAll(): Promise<void> {
  for (const load of parts) {
    try {
      await load();
    } catch {
      // It is loaded when it is shown, and says then why it cannot be.
    }
  }
}
