import { Check, Circle, CircleHelp, LoaderCircle, X } from 'lucide-react';
import type { SessionDetail } from '../../../contract/sessions.ts';
import { useStale } from '../../ui/blocked.ts';
import { Card } from '../../ui/card.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { startSteps, type StartStep } from './start-steps.ts';
import styles from './session.module.css';
import stepStyles from './steps.module.css';

/** The start, or the stop, step by step with the latest word on the one that is under way. */
export function StartProgress({ detail }: { readonly detail: SessionDetail }) {
  const { stage, startedAt } = detail.summary;
  const stopping = stage === 'stopping';
  return (
    <Card
      title={stopping ? 'Stopping' : 'Starting'}
      aside={
        stopping ? null : (
          <>
            since <Time iso={startedAt} style="relative" />
          </>
        )
      }
    >
      {stopping ? (
        <ol className={stepStyles['steps']}>
          <Step
            step={{
              id: 'stop',
              label: 'End sync and ports',
              state: detail.phase === 'restore' ? 'done' : 'now',
            }}
            progress={detail.phase === 'restore' ? '' : detail.progress}
          />
          <Step
            step={{
              id: 'restore',
              label: 'Put everything back in the cluster',
              state: detail.phase === 'restore' ? 'now' : 'ahead',
            }}
            progress={detail.phase === 'restore' ? detail.progress : ''}
          />
        </ol>
      ) : (
        <ol className={stepStyles['steps']}>
          {startSteps(detail).map((step) => (
            <Step key={step.id} step={step} progress={step.state === 'now' ? detail.progress : ''} />
          ))}
        </ol>
      )}
      {stopping ? null : (
        <p className={styles['muted']}>
          Stop and Restore breaks it off at any moment and puts everything back.
        </p>
      )}
    </Card>
  );
}

const signs = {
  done: { icon: <Check />, label: 'Done' },
  now: { icon: <LoaderCircle className={stepStyles['spin']} />, label: 'Under way' },
  ahead: { icon: <Circle />, label: 'Ahead' },
  failed: { icon: <X />, label: 'Failed' },
} as const;

/** Nobody tells how it goes on. */
const unknownSign = { icon: <CircleHelp />, label: 'Not known' } as const;

export function Step({ step, progress }: { readonly step: StartStep; readonly progress: string }) {
  const stale = useStale();
  const sign = stale && step.state === 'now' ? unknownSign : signs[step.state];
  return (
    <li
      className={stepStyles['step']}
      data-state={step.state}
      aria-current={step.state === 'now' ? 'step' : undefined}
    >
      <span className={stepStyles['stepSign']} role="img" aria-label={sign.label}>
        {sign.icon}
      </span>
      <span>
        <Text value={step.label} />
      </span>
      {progress === '' ? null : (
        <span className={stepStyles['stepDetail']} role="status">
          <Text value={progress} />
        </span>
      )}
    </li>
  );
}
