import { useMemo, useState } from 'react';
import type { SessionDetail, TimelineEntry } from '../../../contract/sessions.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { clockSeconds, toneOfLevel } from './session-text.ts';
import rowStyles from './rows.module.css';
import styles from './session.module.css';
import { VirtualRows } from './virtual-rows.tsx';

type Level = 'all' | 'warn' | 'error';

const levels: Readonly<Record<Level, readonly TimelineEntry['level'][]>> = {
  all: ['info', 'ok', 'warn', 'error'],
  warn: ['warn', 'error'],
  error: ['error'],
};

/** What happened to the session, the latest first. */
export function TimelineTab({ timeline }: { readonly timeline: SessionDetail['timeline'] }) {
  const [level, setLevel] = useState<Level>('all');
  const rows = useMemo(
    () =>
      Object.entries(timeline)
        .filter(([, entry]) => levels[level].includes(entry.level))
        .reverse(),
    [timeline, level],
  );
  const text = () => rows.map(([, { at, level: of, text: said }]) => `${at} ${of} ${said}`).join('\n');
  return (
    <div className={styles['fill']}>
      <div className={styles['toolbar']}>
        <SegmentedControl<Level>
          label="Show"
          hideLabel
          value={level}
          options={[
            { value: 'all', label: 'All' },
            { value: 'warn', label: 'Warnings' },
            { value: 'error', label: 'Problems' },
          ]}
          onChange={setLevel}
        />
        <span className={styles['grow']} />
        <span className={styles['faint']}>{rows.length.toLocaleString('en')}</span>
        <CopyButton text={text()} label="Copy the Timeline" />
      </div>
      {rows.length === 0 ? (
        <EmptyState
          title={level === 'all' ? 'Nothing has happened yet' : 'Nothing of this kind'}
          text={
            level === 'all' ? 'The first step of the start shows up here.' : 'Choose All to see everything.'
          }
        />
      ) : (
        <VirtualRows
          label="Timeline"
          count={rows.length}
          rowAt={(index) => rows[index]}
          rowKey={([key]) => key}
          className={rowStyles['timelineRow']}
        >
          {([, entry]) => (
            <>
              <span className={styles['faint']}>{clockSeconds(Date.parse(entry.at))}</span>
              <StatusDot tone={toneOfLevel(entry.level)} label={entry.level} past />
              <span className={styles['one']} title={entry.text}>
                <Text value={entry.text} />
              </span>
            </>
          )}
        </VirtualRows>
      )}
    </div>
  );
}
