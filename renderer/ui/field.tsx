import type { ChangeEvent, ReactNode } from 'react';
import { classNames } from './class-names.ts';
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

/** What a control for text has, whether it takes one line or several. */
export interface TextControlProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly mono?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly maxLength?: number | undefined;
}

/** The attributes of a control for text. Spell checks and completions are off: what is typed are names, paths and commands. */
export function textControl(
  id: string,
  { hint, error, value, onChange, mono = false, placeholder, disabled = false, maxLength }: TextControlProps,
) {
  return {
    ...describedBy(id, { hint, error }),
    id,
    className: classNames(styles['input'], mono && styles['mono']),
    value,
    placeholder,
    disabled,
    maxLength,
    autoComplete: 'off',
    autoCapitalize: 'off',
    spellCheck: false,
    dir: 'auto',
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange(event.currentTarget.value),
  } as const;
}

/** What ties a control to its {@link Field}. */
export function describedBy(id: string, { hint, error }: Pick<FieldProps, 'hint' | 'error'>) {
  const invalid = error !== undefined && error !== '';
  const ids = [invalid ? `${id}-error` : '', hint === undefined ? '' : `${id}-hint`]
    .filter(Boolean)
    .join(' ');
  return { 'aria-invalid': invalid || undefined, 'aria-describedby': ids === '' ? undefined : ids };
}
