import { isSlipwayError } from '../base/errors.ts';
import { deleteQuietMs } from './delete-settling.ts';
import type { SessionRoot } from './session-root.ts';
import type { SessionState } from './session-state.ts';
import type { SessionTasks } from './session-tasks.ts';
import type { SessionTrash } from './session-trash.ts';

/** How often everything is looked at although no event said so. */
const auditMs = 30 * 60_000;
/** Longest time for which what was agreed is only in memory. */
const flushMs = 500;

/** Judges whether both sides are one, says so, and sleeps until something happens. */
export class SessionRest {
  readonly #s: SessionState;
  readonly #root: SessionRoot;
  readonly #tasks: SessionTasks;
  readonly #trash: SessionTrash;
  #flushed: number;
  #nextAudit: number;

  constructor(state: SessionState, root: SessionRoot, tasks: SessionTasks, trash: SessionTrash) {
    this.#s = state;
    this.#root = root;
    this.#tasks = tasks;
    this.#trash = trash;
    this.#flushed = state.now;
    this.#nextAudit = state.now + auditMs;
  }

  /** Nothing can be done now: says so when both sides are one, and sleeps until something happens. */
  async settleOrSleep(): Promise<void> {
    const { wake, signal, localHints, setState, holds, dirty, ancestor } = this.#s.options;
    const working =
      this.#tasks.size > 0 ||
      localHints.size > 0 ||
      this.#s.remoteRecheck.size > 0 ||
      this.#s.remoteLate.size > 0;
    const open = [...dirty].filter((path) => !this.#s.retries.isStuck(path)).length;
    // Deletions that were seen and then taken back must not keep the loop awake.
    if (open === 0) {
      this.#s.deletes.local.reset();
      this.#s.deletes.remote.reset();
    }
    if (
      !working &&
      open === 0 &&
      this.#s.racy.local.size + this.#s.racy.remote.size === 0 &&
      !this.#s.remoteOverflow
    ) {
      this.#root.finishCompare();
      await ancestor.flush();
      this.#flushed = this.#s.now;
      const [full] = this.#s.withoutSpace.values();
      if (full !== undefined) setState({ kind: 'paused', reason: full });
      else if (this.#nothingNew())
        setState({ kind: 'in-sync', held: holds.size + this.#s.behindHolds.size + this.#s.retries.reported });
    } else {
      if (this.#s.compared) setState({ kind: 'syncing', remaining: this.#s.locks.size + open });
      if (this.#s.now - this.#flushed > flushMs) {
        this.#flushed = this.#s.now;
        void ancestor.flush().catch((error: unknown) => {
          if (isSlipwayError(error)) this.#s.options.emit({ kind: 'notice', message: error.message });
          else this.#s.crash(error);
        });
      }
    }
    if (this.#s.now >= this.#nextAudit) {
      this.#nextAudit = this.#s.now + auditMs;
      this.#s.remoteOverflow = true;
      await this.#trash.prune();
      return;
    }
    await wake.wait(this.#pause(working || open > 0), signal);
  }

  #nothingNew(): boolean {
    const { localHints, dirty } = this.#s.options;
    return (
      localHints.size === 0 &&
      this.#s.remoteRecheck.size === 0 &&
      [...dirty].every((path) => this.#s.retries.isStuck(path))
    );
  }

  /** What is due and was not done in this turn waits for something else, such as another try of the same path. */
  #laterOf(due: number | undefined): number | undefined {
    return due === undefined || due > this.#s.now ? due : this.#s.now + deleteQuietMs;
  }

  /** Milliseconds until something is due although nobody wakes us. */
  #pause(working: boolean): number {
    const times = [
      this.#s.options.localHints.nextDue,
      this.#s.retries.nextDue,
      this.#laterOf(this.#s.deletes.local.due),
      this.#laterOf(this.#s.deletes.remote.due),
      ...this.#s.racy.local.values(),
      ...this.#s.racy.remote.values(),
      this.#nextAudit,
    ].filter((time) => time !== undefined);
    const soonest = Math.min(...times) - this.#s.now;
    // What waits for a task is woken by its end; this bounds a wait that no one ends.
    return Math.max(this.#tasks.size > 0 ? 5 : 0, Math.min(soonest, working ? flushMs : soonest));
  }
}
