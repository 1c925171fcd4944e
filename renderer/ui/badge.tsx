import type { ReactNode } from 'react';
import styles from './badge.module.css';

/** What something means for the user. */
export type Tone = 'ok' | 'warn' | 'error' | 'info' | 'neutral';

/** A word in the colour of what it means. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={styles['badge']} data-tone={tone}>
      {children}
    </span>
  );
}
