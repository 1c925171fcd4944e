import { TriangleAlert } from 'lucide-react';
import type { ErrorValue } from '../../contract/errors.ts';
import { Button } from './button.tsx';
import styles from './notice.module.css';
import { Text } from './text.tsx';

interface ErrorBoxProps {
  readonly error: ErrorValue;
  readonly onRetry?: (() => void) | undefined;
}

/** Something that could not be done: what is, why, and what to do next. */
export function ErrorBox({ error, onRetry }: ErrorBoxProps) {
  return (
    <div className={styles['box']} data-tone="error" role="alert">
      <TriangleAlert aria-hidden className={styles['icon']} />
      <div className={styles['text']}>
        <p className={styles['message']}>
          <Text value={error.message} />
        </p>
        {error.cause === '' || error.cause === error.message ? null : (
          <p>
            <Text value={error.cause} lines />
          </p>
        )}
        {error.next === '' ? null : (
          <p className={styles['next']}>
            <Text value={error.next} lines />
          </p>
        )}
      </div>
      {onRetry === undefined ? null : (
        <Button small onClick={onRetry}>
          Try Again
        </Button>
      )}
    </div>
  );
}
