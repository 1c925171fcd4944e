import { ArrowDown, ArrowUp, CircleHelp, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FileCount, FlightPlan } from '../../../contract/workloads.ts';
import { Bytes } from '../../ui/bytes.tsx';
import { Card } from '../../ui/card.tsx';
import { Text } from '../../ui/text.tsx';
import { fileSteps, type FileStep } from './file-steps.ts';
import styles from './flight-plan-panel.module.css';

/** What the first sync would do with the files of both sides. */
export function FilesPart({ files }: { readonly files: FlightPlan['files'] }) {
  const { container, local, excluded } = files;
  return (
    <Card
      title="Files"
      aside={
        <span className={styles['numbers']}>
          {local.files.toLocaleString()} here, <Bytes value={local.bytes} />
          {excluded === 0 ? '' : `, ${excluded.toLocaleString()} left out`}
        </span>
      }
      flush
    >
      {container.kind === 'unknown' ? (
        <p className={styles['basis']}>
          <Text value={`What the container holds is not known: ${container.reason}`} />
        </p>
      ) : (
        <>
          <ul className={styles['steps']}>
            {fileSteps(container).map((step) => (
              <Step key={step.id} step={step} />
            ))}
            <li className={styles['step']} data-quiet>
              <span className={styles['stepIcon']} aria-hidden />
              <span className={styles['stepText']}>the same on both sides</span>
              <span className={styles['stepNumber']}>{container.same.toLocaleString()}</span>
              <span className={styles['stepBytes']} />
            </li>
          </ul>
          <p className={styles['basis']}>
            <Text value={container.basis} />
          </p>
        </>
      )}
      <p className={styles['promise']}>
        <Text value={files.promise} />
      </p>
    </Card>
  );
}

const icons: Readonly<Record<FileStep['direction'], ReactNode>> = {
  up: <ArrowUp />,
  down: <ArrowDown />,
  ask: <CircleHelp />,
  lose: <TriangleAlert />,
};

function Step({ step }: { readonly step: FileStep }) {
  return (
    <li className={styles['step']}>
      <span className={styles['stepIcon']} data-direction={step.direction} aria-hidden>
        {icons[step.direction]}
      </span>
      <span className={styles['stepText']}>
        {step.text}
        <Examples count={step.count} />
      </span>
      <span className={styles['stepNumber']}>{step.count.files.toLocaleString()}</span>
      <span className={styles['stepBytes']}>
        <Bytes value={step.count.bytes} />
      </span>
    </li>
  );
}

function Examples({ count }: { readonly count: FileCount }) {
  if (count.examples.length === 0) return null;
  const more = count.files - count.examples.length;
  return (
    <details className={styles['examples']}>
      <summary>which</summary>
      <ul>
        {count.examples.map((path) => (
          <li key={path}>
            <Text value={path} mono />
          </li>
        ))}
        {more > 0 ? <li>and {more.toLocaleString()} more</li> : null}
      </ul>
    </details>
  );
}
