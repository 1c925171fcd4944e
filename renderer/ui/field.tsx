import type { ReactNode } from 'react';
import styles from './field.module.css';
import { visibleLine } from './visible-text.ts';

/** What every field of a form has. */
export interface FieldProps {
  readonly label: string;
  /** The label is read and not shown: its place explains the field. */
  readonly hideLabel?: boolean | undefined;
  readonly hint?: ReactNode;
  /** What is wrong with the value, as a sentence. */
  readonly error?: string | undefined;
}

/** Label, control, hint and what is wrong, tied together for screen readers by the ids. */
export function Field({
  id,
  label,
  hideLabel = false,
  hint,
  error,
  children,
}: FieldProps & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={hideLabel ? 'hidden-visually' : styles['label']}>
        {visibleLine(label)}
      </label>
      {children}
      {error === undefined || error === '' ? null : (
        <span id={`${id}-error`} className={styles['error']} role="alert">
          {error}
        </span>
      )}
      {hint === undefined ? null : (
        <span id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </span>
      )}
    </div>
  );
}

/** What ties a control to its {@link Field}. */
export function describedBy(id: string, { hint, error }: Pick<FieldProps, 'hint' | 'error'>) {
  const invalid = error !== undefined && error !== '';
  const ids = [invalid ? `${id}-error` : '', hint === undefined ? '' : `${id}-hint`]
    .filter(Boolean)
    .join(' ');
  return { 'aria-invalid': invalid || undefined, 'aria-describedby': ids === '' ? undefined : ids };
}
