import type { Tone } from './badge.tsx';
import styles from './badge.module.css';

/** A small sign of how something is, by shape and colour; `label` says it in words. An empty one when the words stand beside it. */
export function StatusDot({ tone, label }: { readonly tone: Tone; readonly label: string }) {
  if (label === '') return <span className={styles['dot']} data-tone={tone} aria-hidden />;
  return <span className={styles['dot']} data-tone={tone} role="img" aria-label={label} title={label} />;
}
