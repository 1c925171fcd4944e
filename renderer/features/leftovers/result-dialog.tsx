import type { LeftoverResult } from '../../../contract/leftovers.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Text } from '../../ui/text.tsx';
import {
  outcomeOf,
  resultTitle,
  type LeftoverAction,
  type LeftoverRow,
  type Outcome,
} from './leftover-model.ts';
import styles from './leftovers.module.css';

const words = {
  done: { tone: 'ok', text: 'Done' },
  partly: { tone: 'warn', text: 'Not Complete' },
  failed: { tone: 'error', text: 'Not Done' },
} as const satisfies Record<Outcome, { tone: 'ok' | 'warn' | 'error'; text: string }>;

/** What was done to each, what was kept because somebody else changed it, and what remains. */
export function ResultDialog({
  action,
  rows,
  results,
  onClose,
}: {
  readonly action: LeftoverAction;
  readonly rows: readonly LeftoverRow[];
  readonly results: readonly LeftoverResult[];
  readonly onClose: () => void;
}) {
  const names = new Map(rows.map((row) => [row.key, `${row.namespace} / ${row.target}`]));
  return (
    <Dialog
      open
      title={resultTitle(action, results)}
      onClose={onClose}
      actions={
        <Button kind="primary" local onClick={onClose}>
          Close
        </Button>
      }
    >
      <ul className={styles['items']} tabIndex={0} aria-label="Results">
        {results.map((result) => {
          const { tone, text } = words[outcomeOf(result)];
          const lines = [...result.done, ...result.kept, ...result.remaining];
          return (
            <li key={result.key} className={styles['item']}>
              <div className={styles['name']}>
                <Badge past tone={tone}>
                  {text}
                </Badge>
                <Text value={names.get(result.key) ?? result.key} most={120} />
              </div>
              {lines.length === 0 ? null : (
                <ul className={styles['steps']}>
                  {lines.map((line, index) => (
                    <li key={index}>
                      <Text value={line} />
                    </li>
                  ))}
                </ul>
              )}
              {result.error === undefined ? null : (
                <p className={styles['why']}>
                  <Text value={`${result.error.message} ${result.error.cause} ${result.error.next}`} />
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
