import { messageOf } from '../base/errors.ts';
import type { Change } from './change.ts';
import { bytesText, oldBytes } from './plan-safety.ts';
import type { SessionState } from './session-state.ts';

/** Paths named in a sentence about many. */
const namePreview = 20;

/** Keeps the laptop's trash within its cap while the session runs, and says what goes or is not kept at all. */
export class SessionTrash {
  readonly #s: SessionState;
  #pruning: Promise<void> | undefined;

  constructor(state: SessionState) {
    this.#s = state;
  }

  /** After something went into the trash. */
  async keepWithinCap(): Promise<void> {
    if (this.#s.options.trash.full) await this.prune();
  }

  /** Also drops what is too old. A trash that cannot be pruned is said and kept as it is. */
  prune(): Promise<void> {
    this.#pruning ??= this.#prune().finally(() => {
      this.#pruning = undefined;
    });
    return this.#pruning;
  }

  /** The container keeps less than the laptop: says what of one batch does not fit there. */
  noticeUnkept(changes: readonly Change[]): void {
    const { remoteTrashCapBytes: cap, emit } = this.#s.options;
    if (cap === undefined) return;
    const victims = changes.filter(
      (change) => change.keep === 'side' && change.why !== 'restored-root' && oldBytes(change) > 0,
    );
    const bytes = victims.reduce((sum, change) => sum + oldBytes(change), 0);
    if (bytes <= cap) return;
    const message = `The container's trash keeps ${bytesText(cap)}, so not all old versions of ${namesOf(victims.map(({ path }) => path))} (${bytesText(bytes)}) are kept there`;
    if (this.#s.tell(message)) emit({ kind: 'notice', message });
  }

  async #prune(): Promise<void> {
    const { trash, emit } = this.#s.options;
    try {
      const gone = await trash.prune();
      if (gone.length === 0) return;
      const count = gone.length === 1 ? 'the oldest one' : `the ${gone.length} oldest ones`;
      emit({
        kind: 'notice',
        message: `The trash on this machine is full (${bytesText(trash.capBytes)} of old versions): ${count} went: ${namesOf(gone.map(({ path }) => path))}`,
      });
    } catch (error) {
      const message = `The trash on this machine could not be kept within its size: ${messageOf(error) ?? ''}`;
      if (this.#s.tell(message)) emit({ kind: 'notice', message });
    }
  }
}

/** A few paths by name, and that there are more. */
export function namesOf(paths: readonly string[]): string {
  return paths.slice(0, namePreview).join(', ') + (paths.length > namePreview ? ', …' : '');
}
