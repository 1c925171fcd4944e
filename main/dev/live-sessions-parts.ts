import type { ErrorValue } from '../../contract/errors.ts';
import type { SessionDetail } from '../../contract/sessions.ts';
import type { StartForm } from '../../contract/workloads.ts';
import type { Clock } from '../base/clock.ts';
import type { Kube } from '../kube/kube.ts';
import type { MissingRight, SessionPlan } from '../session/plan.ts';
import type { Sessions } from '../session/session.ts';
import type { RecordKnowledge } from './cluster-changes.ts';
import type { PodSource } from './pod-source.ts';
import type { rigRequest } from './rig-request.ts';
import type { ServiceFactories } from './services.ts';

/** A flight plan that a window was shown, as far as a start needs it. */
export interface PlannedStart {
  readonly form: StartForm;
  readonly flight: { readonly obstacles: readonly ErrorValue[] };
  /** The command line that does the same, without the values of variables: every window sees it. */
  readonly commandLine: string;
  readonly session: SessionPlan;
  readonly missingRights: readonly MissingRight[];
  /** What has to be typed where the cluster's guard asks for it. */
  readonly expected: string;
}

/** Sync and forwards of one session. */
export interface SessionRig {
  readonly pairs: SessionDetail['pairs'];
  readonly factories: ServiceFactories;
  cleanUp(source: PodSource): Promise<string | undefined>;
}

export interface LiveSessionsDependencies {
  readonly clock: Clock;
  readonly knowledge: RecordKnowledge;
  readonly plans: { planOf(id: string): PlannedStart | undefined };
  readonly clusters: {
    kubeFor(
      id: string,
      confirmation: { readonly expected: string; readonly typed: string | undefined },
    ): Promise<Kube>;
    noteNamespace(id: string, namespace: string): void;
  };
  /** Asks the user; resolves with the choice's id. */
  readonly questions: {
    ask(
      question: {
        readonly title: string;
        readonly text: readonly string[];
        readonly choices: readonly {
          readonly id: string;
          readonly label: string;
          readonly danger: boolean;
        }[];
      },
      signal: AbortSignal,
    ): Promise<string>;
  };
  sessions(kube: Kube): Pick<Sessions, 'plan' | 'start' | 'restore'>;
  syncRig(request: ReturnType<typeof rigRequest>): Promise<SessionRig>;
  /** A new random id: lower-case letters and digits. */
  newId(): string;
  /** Called with what nobody expected, after everything was put back as far as possible. */
  onFault(error: unknown): void;
}

export interface StartRequest {
  readonly plan: string;
  readonly confirmation?: string | undefined;
  readonly earlier?: 'continue' | 'restore' | undefined;
}

/** Which workload of which cluster. */
export interface SessionPlace {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}
