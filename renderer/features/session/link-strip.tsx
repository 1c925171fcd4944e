import { memo } from 'react';
import { ArrowUp } from 'lucide-react';
import { useStale } from '../../ui/blocked.ts';
import { StatusDot } from '../../ui/status-dot.tsx';
import { byteText } from '../../ui/time-text.ts';
import { visibleLine } from '../../ui/visible-text.ts';
import { Text } from '../../ui/text.tsx';
import { limitOf, sparkline, streamLook, worstStream } from './link-look.ts';
import rowStyles from './rows.module.css';
import styles from './session.module.css';
import { useLink, type LinkHistory } from './use-link.ts';

const picture = { width: 96, height: 18 } as const;

/** How both streams to the container are, and what goes over them now. */
export const LinkStrip = memo(function LinkStrip({ session }: { readonly session: string }) {
  const history = useLink(session);
  return (
    <div className={styles['links']} role="group" aria-label="Connections">
      <Stream direction="up" history={history} />
      <Stream direction="down" history={history} />
    </div>
  );
});

const names = { up: 'To the container', down: 'To this machine' } as const;

function Stream({
  direction,
  history,
}: {
  readonly direction: 'up' | 'down';
  readonly history: LinkHistory;
}) {
  const stale = useStale();
  const { latest } = history;
  const health = latest === undefined ? undefined : worstStream(latest, direction);
  const look = latest === undefined || health === undefined ? undefined : streamLook(health, latest.at);
  const limit = latest === undefined ? undefined : limitOf(latest, direction);
  const words = look === undefined ? 'Not known yet' : [look.word, ...look.details].join(' · ');
  const told = stale ? `Not known; last known: ${words}` : words;
  const rate = direction === 'up' ? latest?.upRate : latest?.downRate;
  return (
    <div className={styles['link']} role="group" aria-label={names[direction]}>
      <ArrowUp className={direction === 'up' ? rowStyles['up'] : rowStyles['down']} aria-hidden />
      <StatusDot tone={look?.tone ?? 'neutral'} label="" />
      <span className={styles['linkWords']} title={visibleLine(told)}>
        <Text value={told} />
      </span>
      <svg
        className={styles['spark']}
        data-direction={direction}
        viewBox={`0 0 ${picture.width} ${picture.height}`}
        preserveAspectRatio="none"
        aria-hidden
      >
        <polyline points={sparkline(direction === 'up' ? history.up : history.down, picture)} />
      </svg>
      <span className={styles['rate']}>
        {stale || rate === undefined ? '' : `${byteText(rate)}/s`}
        {limit === undefined ? '' : ` of ${byteText(limit)}/s`}
      </span>
    </div>
  );
}
