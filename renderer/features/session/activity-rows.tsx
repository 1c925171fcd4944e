import { ArrowUp, CircleAlert } from 'lucide-react';
import { Text } from '../../ui/text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import type { LoggedActivity } from './activity-log.ts';
import { activityWords } from './activity-words.ts';
import { clockSeconds } from './session-text.ts';
import rowStyles from './rows.module.css';
import styles from './session.module.css';

/** What a row says about one file that travelled; `card`: without the kind of change. */
export function ActivityCells({
  item,
  place,
}: {
  readonly item: LoggedActivity;
  readonly place: 'card' | 'list';
}) {
  const up = item.direction === 'up';
  const unsent = item.action === 'failed' || item.action === 'held';
  const words = activityWords(item);
  return (
    <>
      {unsent ? (
        <CircleAlert
          className={rowStyles['unsent']}
          role="img"
          aria-label={item.action === 'held' ? 'Held' : 'Failed'}
        />
      ) : (
        // The same element turned: thousands a second come and go, and each has a direction of its own.
        <ArrowUp
          className={up ? rowStyles['up'] : rowStyles['down']}
          role="img"
          aria-label={up ? 'To the container' : 'To this machine'}
        />
      )}
      <span className={rowStyles['path']} title={visibleLine(item.path)}>
        <Text value={item.path} />
        {item.reason === undefined ? null : (
          <span className={rowStyles['reason']} title={visibleLine(item.reason)}>
            {' '}
            <Text value={item.reason} />
          </span>
        )}
      </span>
      {place === 'list' ? <span className={styles['faint']}>{words.action}</span> : null}
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
        {words.size === ''
          ? place === 'card'
            ? words.action
            : ''
          : place === 'card'
            ? words.sent
            : words.size}
      </span>
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>{clockSeconds(item.at)}</span>
    </>
  );
}
