import { ArrowUp } from 'lucide-react';
import { Text } from '../../ui/text.tsx';
import { byteText } from '../../ui/time-text.ts';
import { visibleLine } from '../../ui/visible-text.ts';
import type { LoggedActivity } from './activity-log.ts';
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
  return (
    <>
      {/* The same element turned: thousands a second come and go, and each has a direction of its own. */}
      <ArrowUp
        className={up ? rowStyles['up'] : rowStyles['down']}
        role="img"
        aria-label={up ? 'To the container' : 'To this machine'}
      />
      <span className={rowStyles['path']} title={visibleLine(item.path)}>
        <Text value={item.path} />
      </span>
      {place === 'list' ? <span className={styles['faint']}>{actionWord(item.action)}</span> : null}
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
        {item.bytes === 0 ? (place === 'card' ? actionWord(item.action) : '') : byteText(item.bytes)}
      </span>
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>{clockSeconds(item.at)}</span>
    </>
  );
}

function actionWord(action: string): string {
  return (
    {
      create: 'Created',
      update: 'Changed',
      delete: 'Deleted',
      rename: 'Renamed',
      mode: 'Mode',
      directory: 'Folder',
      link: 'Link',
    }[action] ?? action
  );
}
