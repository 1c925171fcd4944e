import { CircleAlert, CircleCheck } from 'lucide-react';
import type { SessionDetail } from '../../../contract/sessions.ts';
import { hrefOf } from '../../app/route.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { Text } from '../../ui/text.tsx';
import { Step } from './start-progress.tsx';
import { startSteps } from './start-steps.ts';
import calloutStyles from './callout.module.css';
import styles from './session.module.css';
import stepStyles from './steps.module.css';

/** How a session ended: what was put back, what others keep, what is left, and where to go on. */
export function SessionResult({ detail }: { readonly detail: SessionDetail }) {
  const { summary, result } = detail;
  if (result === undefined) return null;
  const { error, restored, kept, remaining } = result;
  const clean = summary.stage !== 'left';
  const broken = error !== undefined && detail.reached !== 'ready';
  return (
    <>
      {error === undefined ? null : <ErrorBox error={error} />}
      <section
        className={calloutStyles['callout']}
        data-tone={clean ? 'ok' : 'warn'}
        aria-label="How it ended"
      >
        {clean ? (
          <CircleCheck className={calloutStyles['calloutIcon']} aria-hidden />
        ) : (
          <CircleAlert className={calloutStyles['calloutIcon']} aria-hidden />
        )}
        <div className={calloutStyles['calloutText']}>
          <p className={calloutStyles['calloutTitle']}>
            {clean && error !== undefined ? (
              'Nothing is left in the cluster.'
            ) : (
              <Sentence text={`${summary.sentence}.`} />
            )}
          </p>
          {clean ? null : (
            <p>
              <a href={hrefOf({ page: 'leftovers', cluster: summary.cluster })}>Open Leftovers</a> to restore
              or remove what remains.
            </p>
          )}
        </div>
      </section>
      {broken ? (
        <Card title="How Far It Came">
          <ol className={stepStyles['steps']}>
            {startSteps(detail).map((step) => (
              <Step key={step.id} step={step} progress="" />
            ))}
          </ol>
        </Card>
      ) : null}
      {restored.length + kept.length + remaining.length === 0 ? null : (
        <div className={styles['columns']}>
          <Lines title="Put Back" lines={restored} />
          <Lines title="Kept: Changed by Others" lines={kept} />
          <Lines title="Left in the Cluster" lines={remaining} />
        </div>
      )}
    </>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <Card title={title}>
      <ul className={styles['lines']}>
        {lines.map((line, index) => (
          <li key={index}>
            <Text value={line} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
