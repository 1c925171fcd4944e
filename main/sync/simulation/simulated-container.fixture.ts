import type { PathRules } from '../rules.ts';
import type { MemoryDisk } from './memory-disk.fixture.ts';
import type { KeptVersions } from './memory-state.fixture.ts';

/** A container: its disk, its trash, and the file in which the helpers of a pair find who is in charge. */
export class SimulatedContainer {
  readonly id: string;
  readonly disk: MemoryDisk;
  readonly kept: KeptVersions;
  rules: PathRules;
  readonly #wrong: (what: string) => void;
  #epoch = 0;
  #holders = 0;

  constructor(options: {
    readonly id: string;
    readonly disk: MemoryDisk;
    readonly kept: KeptVersions;
    readonly rules: PathRules;
    readonly wrong: (what: string) => void;
  }) {
    this.id = options.id;
    this.disk = options.disk;
    this.kept = options.kept;
    this.rules = options.rules;
    this.#wrong = options.wrong;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** An older helper is in the middle of a batch. */
  get busy(): boolean {
    return this.#holders > 0;
  }

  /** False for an epoch that is older than one seen. One seen before is a mistake of the app. */
  claim(epoch: number): boolean {
    if (epoch < this.#epoch) return false;
    if (epoch === this.#epoch) this.#wrong(`two attaches with the epoch ${epoch}`);
    this.#epoch = epoch;
    return true;
  }

  /** Keeps newer helpers waiting until released; undefined for one that is not in charge. */
  hold(epoch: number): (() => void) | undefined {
    if (epoch !== this.#epoch) return undefined;
    this.#holders++;
    return () => {
      this.#holders--;
    };
  }

  /** Called at each operation: the fence must have held. */
  checkInCharge(epoch: number): void {
    if (epoch !== this.#epoch)
      this.#wrong(`a helper of epoch ${epoch} applied after ${this.#epoch} attached`);
  }
}
