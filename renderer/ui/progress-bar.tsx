import styles from './progress-bar.module.css';

/** How far something is, from 0 to 1; without a value nobody knows. */
export function ProgressBar({
  value,
  label,
}: {
  readonly value?: number | undefined;
  readonly label: string;
}) {
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <span
      className={styles['bar']}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      data-unknown={percent === undefined || undefined}
    >
      <span className={styles['done']} style={percent === undefined ? undefined : { width: `${percent}%` }} />
    </span>
  );
}
