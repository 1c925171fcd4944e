import type { ReactNode } from 'react';
import type { Tone } from '../../ui/badge.tsx';
import styles from './tone-icon.module.css';

/** A sign before a line that says the same in words. */
export function ToneIcon({ tone, icon }: { readonly tone: Tone; readonly icon: ReactNode }) {
  return (
    <span className={styles['icon']} data-tone={tone} aria-hidden>
      {icon}
    </span>
  );
}
