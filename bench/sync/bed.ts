import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerPid } from '../../sandbox/client.ts';
import { barePod, podsOf } from '../../tests/support/sync-place.ts';

const pod = 'bench';
export const containerName = 'main';

/** A pod that does nothing, and folders here and in it. */
export interface Bed extends AsyncDisposable {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The container's root as the machine sees it: no exec takes part in looking. */
  readonly root: string;
  /** A new folder on this machine, gone with the bed. */
  scratch(name: string): string;
  /** A new pair of empty folders with a state of its own. */
  pair(name: string): BenchPair;
}

/** A folder here, its counterpart in the container, and what the app remembers of them. */
export interface BenchPair extends Disposable {
  readonly local: string;
  /** As the container names it, and as this machine reaches it. */
  readonly remote: string;
  readonly there: string;
  readonly home: string;
  /** Forgets what the app remembers and empties the container's folder. */
  forget(): void;
}

export async function makeBed(): Promise<Bed> {
  await using stack = new AsyncDisposableStack();
  const namespace = stack.use(await podsOf('bench-sync', (name) => [barePod(name, pod)]));
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const root = `/proc/${containerPid(namespace.name, pod, containerName)}/root`;
  let last = 0;
  const scratch = (name: string): string => {
    const path = join(folder, `${++last}-${name}`);
    mkdirSync(path);
    return path;
  };
  const owned = stack.move();
  return {
    ...{ namespace: namespace.name, pod, container: containerName, root, scratch },
    pair(name) {
      const local = scratch(name);
      const home = scratch(`${name}-home`);
      const remote = `/bench/${last}-${name}`;
      const there = join(root, remote);
      mkdirSync(there, { recursive: true });
      const remove = (...paths: readonly string[]): void => {
        for (const path of paths) rmSync(path, { recursive: true, force: true });
      };
      return {
        ...{ local, remote, there, home },
        forget() {
          remove(home, there);
          mkdirSync(home);
          mkdirSync(there);
        },
        [Symbol.dispose]: () => remove(local, there, home),
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
