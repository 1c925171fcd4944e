import type { App } from 'electron';
import type { Clock } from '../../base/clock.ts';

/** How long the app's end waits for what it has open in clusters. */
const patienceMs = 5000;

/**
 * Ends what is open in clusters before the process goes: shells in containers would go on without it. Sessions were
 * stopped before, or left on purpose.
 */
export function endWithApp(
  app: Pick<App, 'on' | 'exit'>,
  services: AsyncDisposable,
  clock: Pick<Clock, 'timer'>,
): void {
  let ending = false;
  app.on('will-quit', (event) => {
    event.preventDefault();
    if (ending) return;
    ending = true;
    const late = clock.timer(patienceMs, () => app.exit(0));
    const end = async (): Promise<void> => services[Symbol.asyncDispose]();
    // What could not be ended in order ends with the process.
    void end()
      .catch(() => undefined)
      .then(() => {
        late[Symbol.dispose]();
        app.exit(0);
      });
  });
}
