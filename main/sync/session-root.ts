import { compareEntries } from './compare.ts';
import { clockSkewLimitMs } from './decide.ts';
import type { SessionState } from './session-state.ts';
import { Tree } from './tree.ts';

/** Knows whether the container's root is the one of the ancestor, and when the first comparison with it is over. */
export class SessionRoot {
  readonly #s: SessionState;

  constructor(state: SessionState) {
    this.#s = state;
  }

  /** Notices a root that is another one than the ancestor's. */
  begin(): void {
    const { ancestor, remote, emit } = this.#s.options;
    const { remoteRoot } = ancestor.state.facts;
    const { root } = remote;
    const other =
      remoteRoot !== undefined &&
      (remoteRoot.inode !== root.inode ||
        remoteRoot.device !== root.device ||
        remoteRoot.container !== root.container);
    this.#s.rootChanged = other && ancestor.state.agreed.size > 0;
    this.#noticeClock();
    if (this.#s.rootChanged) {
      emit({
        kind: 'notice',
        message:
          'The container is another one than before: what it holds is compared, and edits of this machine win',
      });
    }
  }

  /** What a fresh root holds before anything of ours is on it: never to be taken for somebody's edit later. */
  keepSeed(): void {
    const { ancestor, remote } = this.#s.options;
    const { state } = ancestor;
    if (state.facts.remoteRoot === undefined) {
      ancestor.replaceSeed(this.#s.remote.tree.entries());
      ancestor.setFacts({ remoteRoot: remote.root, rulesHash: this.#s.options.rules.hash });
      return;
    }
    if (!this.#s.rootChanged) return;
    // Interrupted before, this root may hold some of our own files already; for those the older seed stays true.
    const seed = new Tree();
    for (const [path, entry] of this.#s.remote.tree.entries()) {
      const ours = compareEntries(state.agreed.get(path), entry, this.#s.modes.mask) === 'same';
      seed.set(path, ours ? (state.seed.get(path) ?? entry) : entry);
    }
    this.#s.newSeed = seed;
  }

  /** The first comparison of this connection is done: from now on the ancestor alone decides. */
  finishCompare(): void {
    const { ancestor, holds, strategy, remote, rules } = this.#s.options;
    this.#s.compared = true;
    const { initialDone } = ancestor.state.facts;
    // What the first sync would do is still what is asked about.
    if (!initialDone && (['first-sync', 'brake', 'trash-cap'] as const).some((kind) => holds.has(kind)))
      return;
    if (!initialDone) {
      if (strategy === 'disabled' || rules.direction !== 'both') this.#rememberDifferences();
      ancestor.setFacts({
        initialDone: true,
        rulesHash: rules.hash,
        localRoot: this.#s.options.local.root,
        remoteRoot: remote.root,
      });
    }
    if (this.#s.rootChanged && this.#s.restoring.size === 0) {
      if (this.#s.newSeed !== undefined) ancestor.replaceSeed(this.#s.newSeed.entries());
      ancestor.setFacts({ remoteRoot: remote.root });
      this.#s.rootChanged = false;
    }
    if (ancestor.state.facts.rulesHash !== rules.hash) ancestor.setFacts({ rulesHash: rules.hash });
  }

  #noticeClock(): void {
    const { strategy, remote, emit } = this.#s.options;
    const offset = remote.clockOffsetMs ?? 0;
    if (strategy !== 'preferNewest' || Math.abs(offset) <= clockSkewLimitMs) return;
    const seconds = Math.round(Math.abs(offset) / 1000);
    const message = `The container's clock is ${seconds} s ${offset > 0 ? 'ahead of' : 'behind'} this machine's: where both sides changed a file you are asked instead of comparing times`;
    if (this.#s.tell(message)) emit({ kind: 'notice', message });
  }

  /** `disabled` compares nothing, and one way takes nothing back: what differs now stays so until somebody changes it. */
  #rememberDifferences(): void {
    const { ancestor, localState, holds } = this.#s.options;
    for (const path of new Set([...localState.tree.paths(), ...this.#s.remote.tree.paths()])) {
      if (ancestor.state.agreed.get(path) !== undefined || holds.of(path) !== undefined) continue;
      // What could not be done yet is still to be done.
      if (this.#s.retries.attempts(path) > 0 || this.#s.behindHolds.has(path)) continue;
      ancestor.differ(path, { local: localState.tree.get(path), remote: this.#s.remote.tree.get(path) });
    }
  }
}
