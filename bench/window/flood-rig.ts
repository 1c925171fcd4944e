import { performance } from 'node:perf_hooks';
import type { TreeEntry } from '../../contract/sessions.ts';
import { Emitter } from '../../main/base/event.ts';
import type { SessionRig } from '../../main/dev/live-sessions-parts.ts';
import type { PairSync } from '../../main/dev/services.ts';
import type { PairView } from '../../main/sync/pair-view.ts';
import type { FileAction, SyncEvent } from '../../main/sync/sync-event.ts';

const folders = 100;
const filesOfFolder = 1000;
/** As often as the engine tells of a batch. */
const tickMs = 10;
/** How often it says how much is left, and that all is done. */
const ticksOfState = 10;
const ticksOfRest = 200;
const actions: readonly FileAction[] = ['update', 'create', 'update', 'delete'];

/**
 * A sync that moves no file: it tells of as many as it is asked to, in a tree of 100,000, as a real engine would.
 * Everything behind it is real: the session, its state, the ring of activity, the wire and the window.
 */
export class FloodRig {
  readonly #paths = Array.from(
    { length: folders * filesOfFolder },
    (_, index) => `${folderName(Math.floor(index / filesOfFolder))}/${fileName(index % filesOfFolder)}`,
  );
  readonly #events = new Emitter<SyncEvent>();
  #timer: NodeJS.Timeout | undefined;
  #told = 0;

  /** File events since it was created. */
  get told(): number {
    return this.#told;
  }

  rig(folder: string): SessionRig {
    const sync: PairSync = {
      onEvent: this.#events.event,
      inSync: async () => this.#events.fire({ kind: 'state', state: { kind: 'in-sync', held: 0 } }),
      resolveHeld: () => false,
      view: treeOfNames(),
      stop: async () => this.flood(0),
    };
    return {
      pairs: [{ local: folder, remote: '/app' }],
      factories: {
        openSync: async () => sync,
        openForward: () => Promise.reject(new Error('This rig forwards no port.')),
      },
      cleanUp: async () => undefined,
    };
  }

  /** Tells of so many files a second from now on; 0 of none. */
  flood(perSecond: number): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (perSecond === 0) return;
    const started = performance.now();
    let sent = 0;
    let ticks = 0;
    this.#timer = setInterval(() => {
      const due = Math.floor(((performance.now() - started) / 1000) * perSecond) - sent;
      ticks += 1;
      if (ticks % ticksOfState === 0)
        this.#events.fire({ kind: 'state', state: { kind: 'syncing', remaining: due } });
      for (let index = 0; index < due; index++) this.#events.fire(this.#file());
      sent += due;
      if (ticks % ticksOfRest === 0)
        this.#events.fire({ kind: 'state', state: { kind: 'in-sync', held: 0 } });
    }, tickMs);
  }

  #file(): SyncEvent {
    const number = this.#told++;
    // Steps through all files without an order that anyone could see.
    const path = this.#paths[(number * 7919) % this.#paths.length] ?? '';
    return {
      kind: 'file',
      path,
      direction: number % 3 === 0 ? 'down' : 'up',
      action: actions[number % actions.length] ?? 'update',
      bytes: (number * 131) % 65_536,
    };
  }
}

function folderName(index: number): string {
  return `package-${String(index).padStart(3, '0')}`;
}

function fileName(index: number): string {
  return `component-${String(index).padStart(4, '0')}.tsx`;
}

function treeOfNames(): PairView {
  const root = Array.from({ length: folders }, (_, index): TreeEntry => ({
    name: folderName(index),
    kind: 'directory',
    state: 'same',
  }));
  const files = Array.from({ length: filesOfFolder }, (_, index): TreeEntry => ({
    name: fileName(index),
    kind: 'file',
    size: 1000 + index,
    state: index % 50 === 0 ? 'waiting' : 'same',
  }));
  return {
    held: [],
    files: folders * filesOfFolder,
    nudge: () => undefined,
    list: async (folder, { offset, limit }) => {
      const all = folder === '' ? root : files;
      return { entries: all.slice(offset, offset + limit), total: all.length };
    },
    trashed: async () => [],
    restore: none,
    know: () => ({
      local: undefined,
      agreed: undefined,
      held: undefined,
      waiting: false,
      difference: undefined,
    }),
    link: () => undefined,
    version: async (where) => ({ where, kind: 'missing' }),
    trashedVersion: async () => ({ where: 'trash', kind: 'missing' }),
    bringHere: none,
    containerTrash: async () => undefined,
  };
}

function none(): Promise<never> {
  return Promise.reject(new Error('There is no old version.'));
}
