import type { ReactNode } from 'react';
import styles from './notice.module.css';
import { visibleLine } from './visible-text.ts';

/** Nothing to show: what is, why, and the one action that helps. */
export function EmptyState({
  title,
  text,
  action,
}: {
  readonly title: string;
  readonly text: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className={styles['empty']}>
      <p className={styles['emptyTitle']}>{visibleLine(title)}</p>
      <p className={styles['emptyText']}>{text}</p>
      {action}
    </div>
  );
}
