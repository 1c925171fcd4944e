import { shownHeldPaths, shownHolds, type HeldWork } from '../../contract/sessions.ts';
import type { Held, HeldChoice } from '../sync/sync-event.ts';

/** Names held work across the pairs of a session: each pair counts its own. */
export function heldKey(pair: number, id: string): string {
  return `${pair}.${id}`;
}

export function parseHeldKey(key: string): { readonly pair: number; readonly id: string } | undefined {
  const match = /^(\d{1,2})\.(.{1,200})$/.exec(key);
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { pair: Number(match[1]), id: match[2] };
}

/**
 * What is held now, for a window. An engine makes a new object when the paths of a hold change, so an entry whose
 * hold is the same one is the same one.
 */
export class HeldMirror {
  readonly #made = new WeakMap<Held, HeldWork>();
  #last: Readonly<Record<string, HeldWork>> = {};

  mirror(holds: readonly (readonly Held[])[]): {
    readonly held: Readonly<Record<string, HeldWork>>;
    readonly total: number;
  } {
    const next: Record<string, HeldWork> = {};
    let total = 0;
    for (const [pair, ofPair] of holds.entries()) {
      for (const hold of ofPair) {
        if (total++ < shownHolds) next[heldKey(pair, hold.id)] = this.#workOf(pair, hold);
      }
    }
    if (!isSame(this.#last, next)) this.#last = next;
    return { held: this.#last, total };
  }

  #workOf(pair: number, hold: Held): HeldWork {
    const known = this.#made.get(hold);
    if (known !== undefined) return known;
    const { kind, reason, choices, side } = hold;
    const made: HeldWork = {
      id: heldKey(pair, hold.id),
      pair,
      kind,
      reason,
      paths: hold.paths.slice(0, shownHeldPaths),
      count: hold.paths.length,
      ...(side === undefined
        ? {}
        : { side: side === 'local' ? ('laptop' as const) : ('container' as const) }),
      choices,
    };
    this.#made.set(hold, made);
    return made;
  }
}

function isSame(a: Readonly<Record<string, HeldWork>>, b: Readonly<Record<string, HeldWork>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** What an answer makes happen, as a sentence. */
export function describeAnswer({ kind, paths }: Pick<Held, 'kind' | 'paths'>, choice: HeldChoice): string {
  const what = paths.length === 1 ? (paths[0] ?? '') : `${paths.length} paths`;
  switch (choice) {
    case 'apply':
      return kind === 'consent'
        ? `${what} may come to this machine.`
        : `What was held about ${what} is done.`;
    case 'restore':
      return `${what}: what would have been lost is brought back.`;
    case 'leave':
      return `${what}: both sides stay as they are.`;
    case 'local':
      return `${what}: this machine's version wins.`;
    case 'remote':
      return `${what}: the container's version wins; this machine's goes to the trash.`;
  }
}
