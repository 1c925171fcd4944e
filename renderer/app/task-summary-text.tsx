import { ProgressBar } from '../ui/progress-bar.tsx';
import { visibleLine } from '../ui/visible-text.ts';
import styles from './status-bar.module.css';
import type { TaskSummary } from './task-summary.ts';

/** The tasks in one line, with room kept for three digits. */
export function TaskSummaryText({ summary }: { readonly summary: TaskSummary }) {
  return (
    <>
      <span
        className={styles['taskText']}
        data-failed={(summary.failed > 0 && summary.running === 0) || undefined}
      >
        {visibleLine(summary.text, 80)}
      </span>
      {summary.running === 0 ? null : (
        <span className={styles['taskBar']}>
          <ProgressBar value={summary.progress} label="Progress" />
        </span>
      )}
      {summary.progress === undefined ? null : (
        <span className={styles['percent']}>{Math.round(summary.progress * 100)} %</span>
      )}
    </>
  );
}
