import { z } from 'zod';
import { isSlipwayError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { StateFiles } from '../base/state-files.ts';

/** Bounds on what is remembered; the oldest is forgotten first. */
const maximumClusters = 200;
const maximumNames = 30;
const namespaceName = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const stored = z.strictObject({
  clusters: z.record(z.string().max(128), z.array(namespaceName).max(maximumNames)),
});

/** Namespaces that were used, for users who may not list them. */
export interface KnownNamespaces {
  readonly onChange: Event<void>;
  /** The latest first. */
  of(cluster: string): readonly string[];
  /** What is no name of a namespace is not remembered. */
  note(cluster: string, namespace: string): void;
  /** Resolves when everything noted is stored. */
  idle(): Promise<void>;
}

export async function openKnownNamespaces(options: {
  readonly files: StateFiles;
  readonly path: string;
}): Promise<KnownNamespaces> {
  const { files, path } = options;
  const changes = new Emitter<void>();
  const names = new Map<string, readonly string[]>(Object.entries(await read(files, path)));
  let queue: Promise<void> = Promise.resolve();
  let waiting = false;
  const save = async (): Promise<void> => {
    waiting = false;
    try {
      await files.write(path, `${JSON.stringify({ clusters: Object.fromEntries(names) })}\n`);
    } catch (error) {
      // A comfort: not worth a word when the disk refuses it.
      if (!isSlipwayError(error)) throw error;
    }
  };
  return {
    onChange: changes.event,
    of: (cluster) => names.get(cluster) ?? [],
    note(cluster, namespace) {
      const before = names.get(cluster) ?? [];
      if (before[0] === namespace || !namespaceName.safeParse(namespace).success) return;
      const after = [namespace, ...before.filter((name) => name !== namespace)].slice(0, maximumNames);
      names.delete(cluster);
      names.set(cluster, after);
      for (const oldest of [...names.keys()].slice(0, Math.max(0, names.size - maximumClusters)))
        names.delete(oldest);
      // What is noted while a save waits for its turn is part of it.
      if (!waiting) queue = queue.then(save);
      waiting = true;
      changes.fire();
    },
    idle: () => queue,
  };
}

async function read(files: StateFiles, path: string): Promise<Readonly<Record<string, readonly string[]>>> {
  try {
    const text = (await files.read(path))?.toString('utf8');
    return text === undefined ? {} : stored.parse(JSON.parse(text)).clusters;
  } catch {
    // It is made anew by use.
    return {};
  }
}
