import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { useStale } from './blocked.ts';

/** What something means for the user. */
export type Tone = 'ok' | 'warn' | 'error' | 'info' | 'neutral';

interface BadgeProps {
  readonly tone: Tone;
  /** It tells of what has happened or was answered, which stays true while main is gone. */
  readonly past?: boolean | undefined;
  readonly children: ReactNode;
}

/** A word in the colour of what it means. While main is gone it has none: it is what was known last. */
export function Badge({ tone, past = false, children }: BadgeProps) {
  const stale = useStale() && !past;
  return (
    <span
      className={styles['badge']}
      data-tone={stale ? 'unknown' : tone}
      title={stale ? 'Last known' : undefined}
    >
      {stale ? <span className="hidden-visually">Last known: </span> : null}
      {children}
    </span>
  );
}
