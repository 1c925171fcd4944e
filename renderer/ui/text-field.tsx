import { useId, type KeyboardEvent, type Ref } from 'react';
import { classNames } from './class-names.ts';
import { describedBy, Field, type FieldProps } from './field.tsx';
import styles from './field.module.css';

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly mono?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly type?: 'text' | 'search' | 'number' | 'password' | undefined;
  readonly autoFocus?: boolean | undefined;
  readonly maxLength?: number | undefined;
  readonly onKeyDown?: ((event: KeyboardEvent<HTMLInputElement>) => void) | undefined;
  readonly onBlur?: (() => void) | undefined;
  readonly ref?: Ref<HTMLInputElement> | undefined;
}

/** One line of text. Spell checks and completions are off: what is typed are names, paths and commands. */
export function TextField({
  label,
  hideLabel,
  hint,
  error,
  value,
  onChange,
  mono = false,
  placeholder,
  disabled = false,
  type = 'text',
  autoFocus = false,
  maxLength,
  onKeyDown,
  onBlur,
  ref,
}: TextFieldProps) {
  const id = useId();
  return (
    <Field id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <input
        {...describedBy(id, { hint, error })}
        id={id}
        ref={ref}
        type={type}
        className={classNames(styles['input'], mono && styles['mono'])}
        value={value}
        placeholder={placeholder}
        disabled={disabled}
        autoFocus={autoFocus}
        maxLength={maxLength}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        dir="auto"
        onKeyDown={onKeyDown}
        onBlur={onBlur}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  );
}
