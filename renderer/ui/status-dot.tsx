import type { Tone } from './badge.tsx';
import styles from './badge.module.css';
import { useStale } from './blocked.ts';

interface StatusDotProps {
  readonly tone: Tone;
  /** The sign in words; empty when they stand beside it. */
  readonly label: string;
  /** It tells of what has happened, which stays true while main is gone. */
  readonly past?: boolean | undefined;
}

/** A small sign of how something is, by shape and colour. While main is gone nobody knows, and it says so. */
export function StatusDot({ tone, label, past = false }: StatusDotProps) {
  const stale = useStale() && !past;
  const shown = stale ? 'unknown' : tone;
  if (label === '') return <span className={styles['dot']} data-tone={shown} aria-hidden />;
  const words = stale ? `Not known; last known: ${label}` : label;
  return <span className={styles['dot']} data-tone={shown} role="img" aria-label={words} title={words} />;
}
