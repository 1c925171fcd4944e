import { useId } from 'react';
import { classNames } from './class-names.ts';
import { describedBy, Field, type FieldProps } from './field.tsx';
import styles from './field.module.css';

interface TextAreaProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number | undefined;
  readonly mono?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly maxLength?: number | undefined;
}

/** Several lines of text. */
export function TextArea({
  label,
  hideLabel,
  hint,
  error,
  value,
  onChange,
  rows = 4,
  mono = false,
  placeholder,
  disabled = false,
  maxLength,
}: TextAreaProps) {
  const id = useId();
  return (
    <Field id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <textarea
        {...describedBy(id, { hint, error })}
        id={id}
        className={classNames(styles['input'], styles['area'], mono && styles['mono'])}
        value={value}
        rows={rows}
        placeholder={placeholder}
        disabled={disabled}
        maxLength={maxLength}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  );
}
