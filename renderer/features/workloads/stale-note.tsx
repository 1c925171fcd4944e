import { Info } from 'lucide-react';
import type { ErrorValue } from '../../../contract/errors.ts';
import { Button } from '../../ui/button.tsx';
import styles from '../../ui/notice.module.css';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';

/** Since when a page is old, and why. */
export function StaleNote({
  since,
  error,
  onRetry,
}: {
  readonly since: string | undefined;
  readonly error: ErrorValue | undefined;
  readonly onRetry: () => void;
}) {
  return (
    <div className={`${styles['box'] ?? ''} ${styles['outer'] ?? ''}`} data-tone="warn" role="status">
      <Info aria-hidden className={styles['icon']} />
      <div className={styles['text']}>
        <p className={styles['message']}>
          What you see is from {since === undefined ? 'before' : <Time iso={since} style="clock" />}: the
          connection is lost since then.
        </p>
        {error === undefined ? null : (
          <p>
            <Text value={`${error.message} ${error.next}`} />
          </p>
        )}
      </div>
      <Button small onClick={onRetry}>
        Try Again
      </Button>
    </div>
  );
}
