import { randomBytes } from 'node:crypto';
import type { FlightPlan, StartForm } from '../../contract/workloads.ts';
import type { Clock } from '../base/clock.ts';
import type { MissingRight, SessionPlan } from '../session/plan.ts';

/** A flight plan that was shown, with what a start needs of it. */
export interface StoredPlan {
  readonly form: StartForm;
  readonly flight: FlightPlan;
  readonly session: SessionPlan;
  readonly missingRights: readonly MissingRight[];
  /** What the form's command means: the words of the container's command; undefined keeps the workload's. */
  readonly command: readonly string[] | undefined;
  /** What has to be typed where the cluster's guard asks for it; as `clusters.kubeFor` takes it. */
  readonly expected: string;
  /** The command line that does the same, without the values of variables. */
  readonly commandLine: string;
}

/** Plans that are kept at a time, the oldest forgotten first. */
const maximumPlans = 50;
/** A plan older than this is forgotten: the workload was looked at too long ago. */
const maximumAgeMs = 15 * 60_000;

/**
 * The plans that windows were shown, so that Start does what was shown and nothing that a window makes up. In
 * memory alone; bounded in number and age.
 */
export class PlanStore {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #plans = new Map<string, { readonly plan: StoredPlan; readonly at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** A name for a plan: random, so that none can be guessed. */
  newId(): string {
    return randomBytes(16).toString('hex');
  }

  keep(plan: StoredPlan): void {
    this.#forgetOld();
    this.#plans.set(plan.flight.id, { plan, at: this.#clock.monotonic() });
    for (const id of this.#plans.keys()) {
      if (this.#plans.size <= maximumPlans) break;
      this.#plans.delete(id);
    }
  }

  /** The plan of that name; undefined when there never was one or it is too old: the answer is `plan.outdated`. */
  planOf(id: string): StoredPlan | undefined {
    this.#forgetOld();
    return this.#plans.get(id)?.plan;
  }

  #forgetOld(): void {
    const oldest = this.#clock.monotonic() - maximumAgeMs;
    for (const [id, { at }] of this.#plans) {
      if (at < oldest) this.#plans.delete(id);
    }
  }
}
