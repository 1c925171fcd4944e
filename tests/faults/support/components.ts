import { componentPid, ensureUp, type ComponentName } from '../../../sandbox/client.ts';
import { instanceName } from '../../../sandbox/instance.ts';

/**
 * Parts of the cluster are stopped and killed only in a sandbox of the suite's own: others work on the default one.
 */
function ownSandbox(): string {
  const name = instanceName();
  if (name === 'default') {
    throw new Error(
      'These faults need a sandbox of their own: run them with npm run faults, or set SLIPWAY_SANDBOX.',
    );
  }
  return name;
}

/** Stops a component as it stands, until the result is disposed of. */
export function stopped(component: ComponentName): Disposable {
  const pid = componentPid(component, ownSandbox());
  process.kill(pid, 'SIGSTOP');
  return { [Symbol.dispose]: () => void process.kill(pid, 'SIGCONT') };
}

/** Kills a component and starts it again; resolves when the whole cluster is in order. */
export async function restarted(component: ComponentName): Promise<void> {
  const name = ownSandbox();
  process.kill(componentPid(component, name), 'SIGKILL');
  await ensureUp(name);
}
