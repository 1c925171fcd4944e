import { useId, type ReactNode } from 'react';
import styles from './field.module.css';

interface CheckboxProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  /** Some of what it stands for is checked. */
  readonly indeterminate?: boolean | undefined;
  readonly onChange: (checked: boolean) => void;
  readonly hint?: string | undefined;
  readonly disabled?: boolean | undefined;
}

/** Yes or no, with its label as a target for the pointer. */
export function Checkbox({
  label,
  checked,
  indeterminate = false,
  onChange,
  hint,
  disabled = false,
}: CheckboxProps) {
  const id = useId();
  return (
    <label className={styles['check']}>
      <input
        type="checkbox"
        className={styles['box']}
        checked={checked}
        disabled={disabled}
        ref={(element) => {
          if (element !== null) element.indeterminate = indeterminate;
        }}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        <span>{label}</span>
        {hint === undefined ? null : (
          <span id={`${id}-hint`} className={styles['hint']} style={{ display: 'block' }}>
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}
