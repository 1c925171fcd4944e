import { Ban, CircleCheck, CircleHelp, Info, Loader, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ErrorValue } from '../../../contract/errors.ts';
import type { FlightPlan } from '../../../contract/workloads.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { FilesPart } from './files-part.tsx';
import styles from './flight-plan-panel.module.css';
import { ToneIcon } from './tone-icon.tsx';

interface FlightPlanPanelProps {
  readonly plan: FlightPlan | undefined;
  readonly pending: boolean;
  readonly error: ErrorValue | undefined;
  /** What the form still lacks. */
  readonly waiting: string | undefined;
  readonly onRetry: () => void;
}

/** Everything that is known about a start before it. */
export function FlightPlanPanel({ plan, pending, error, waiting, onRetry }: FlightPlanPanelProps) {
  return (
    <div className={styles['panel']} aria-busy={pending}>
      <Card title="Flight plan" aside={<PlanState plan={plan} pending={pending} error={error} />}>
        {error !== undefined ? (
          <ErrorBox error={error} onRetry={onRetry} />
        ) : plan === undefined ? (
          waiting === undefined || pending ? (
            <Skeleton />
          ) : (
            <EmptyState
              title={waiting}
              text="Then this shows what Start would change in the cluster and with your files. Nothing is changed for it."
            />
          )
        ) : (
          <div className={styles['plan']} data-pending={pending || undefined}>
            <Verdict plan={plan} />
          </div>
        )}
      </Card>
      {plan === undefined || error !== undefined ? null : (
        <div className={styles['parts']} data-pending={pending || undefined}>
          <FilesPart files={plan.files} />
          <PodDiff plan={plan} />
          <Surroundings plan={plan} />
          <Card title="The same as a command">
            <CodeBlock text={plan.commandLine} label="the command" />
          </Card>
        </div>
      )}
    </div>
  );
}

function PlanState({ plan, pending, error }: Pick<FlightPlanPanelProps, 'plan' | 'pending' | 'error'>) {
  if (pending) {
    return (
      <span className={styles['state']} role="status">
        <Loader aria-hidden className={styles['spin']} /> Looking…
      </span>
    );
  }
  if (plan === undefined || error !== undefined) return null;
  const blocked = plan.obstacles.length;
  if (blocked > 0) return <Badge tone="error">{blocked === 1 ? '1 obstacle' : `${blocked} obstacles`}</Badge>;
  return <Badge tone="ok">Ready to start</Badge>;
}

function Verdict({ plan }: { readonly plan: FlightPlan }) {
  return (
    <>
      <p className={styles['action']}>
        <Text value={`${plan.action}, as ${plan.user}.`} />
      </p>
      {plan.obstacles.map((obstacle, index) => (
        <ErrorBox key={index} error={obstacle} />
      ))}
      <ul className={styles['checks']}>
        <Check kind={plan.admission.kind} text={plan.admission.text} label="Admission" />
        <Check kind={plan.quota.kind} text={plan.quota.text} label="Quota" />
        {plan.heldBy === undefined ? null : (
          <Check
            kind={plan.heldBy.live ? 'refused' : 'warning'}
            label="Session"
            text={`${plan.heldBy.holder} holds it since {{${plan.heldBy.since}}}${plan.heldBy.live ? '.' : ', and does not answer any more.'}`}
          />
        )}
        {plan.warnings.map((text, index) => (
          <Check key={`warning ${index}`} kind="warning" label="Note" text={text} />
        ))}
        {plan.relaxed.map((text, index) => (
          <Check key={`relaxed ${index}`} kind="note" label="Relaxed" text={text} />
        ))}
        {plan.unknown.map((text, index) => (
          <Check key={`unknown ${index}`} kind="unknown" label="Not known" text={text} />
        ))}
      </ul>
    </>
  );
}

type CheckKind = FlightPlan['admission']['kind'] | FlightPlan['quota']['kind'] | 'warning' | 'note';

const looks: Readonly<Record<CheckKind, { readonly tone: Tone; readonly icon: ReactNode }>> = {
  admitted: { tone: 'ok', icon: <CircleCheck /> },
  fits: { tone: 'ok', icon: <CircleCheck /> },
  none: { tone: 'ok', icon: <CircleCheck /> },
  refused: { tone: 'error', icon: <Ban /> },
  exceeded: { tone: 'error', icon: <Ban /> },
  warning: { tone: 'warn', icon: <TriangleAlert /> },
  note: { tone: 'neutral', icon: <Info /> },
  unknown: { tone: 'neutral', icon: <CircleHelp /> },
};

function Check({
  kind,
  label,
  text,
}: {
  readonly kind: CheckKind;
  readonly label: string;
  readonly text: string;
}) {
  const { tone, icon } = looks[kind];
  return (
    <li className={styles['check']}>
      <ToneIcon tone={tone} icon={icon} />
      <span className={styles['checkLabel']}>{label}</span>
      <span className={styles['checkText']}>
        <Sentence text={text} />
      </span>
    </li>
  );
}

function diffCount(count: number): string {
  return count === 0 ? 'like the workload’s' : count === 1 ? '1 difference' : `${count} differences`;
}

function PodDiff({ plan }: { readonly plan: FlightPlan }) {
  return (
    <Card title="Dev pod" aside={diffCount(plan.podDiff.length)} flush>
      {plan.podDiff.length === 0 ? (
        <p className={styles['none']}>It is made exactly like the workload’s own pods.</p>
      ) : (
        <div className={styles['scroll']}>
          <table className={styles['diff']}>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Workload</th>
                <th scope="col">Dev pod</th>
              </tr>
            </thead>
            <tbody>
              {plan.podDiff.map((change) => (
                <tr key={change.path}>
                  <th scope="row">
                    <Text value={change.path} mono />
                    <span className={styles['why']}>
                      <Text value={change.why} />
                    </span>
                  </th>
                  <td className={styles['from']}>
                    <Text value={change.from} mono />
                  </td>
                  <td className={styles['to']}>
                    <Text value={change.to} mono />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

function Surroundings({ plan }: { readonly plan: FlightPlan }) {
  const { services, owners } = plan;
  return (
    <Card title="Around it" flush>
      <ul className={styles['around']}>
        {services.map((service) => (
          <li key={service.name} className={styles['aroundLine']}>
            <span className={styles['strong']}>
              Service <Text value={service.name} />
            </span>
            <span className={styles['why']}>
              <Text value={`Its traffic reaches the dev pod until Stop (${service.ports.join(', ')}).`} />
            </span>
          </li>
        ))}
        {owners.map((owner) => (
          <li key={owner.name} className={styles['aroundLine']}>
            <span className={styles['strong']}>
              <Text value={owner.name} />
            </span>
            <span className={styles['why']}>
              <Text value={owner.effect} />
            </span>
          </li>
        ))}
        {services.length + owners.length === 0 ? (
          <li className={styles['none']}>No Service leads to it, and nothing else marks it as its own.</li>
        ) : null}
      </ul>
    </Card>
  );
}
