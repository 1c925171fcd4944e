import { useId } from 'react';
import styles from './field.module.css';

interface SegmentedControlProps<Value extends string> {
  readonly label: string;
  readonly hideLabel?: boolean | undefined;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean | undefined;
}

/** One of a few, all of them in sight: radio buttons in one line. */
export function SegmentedControl<Value extends string>({
  label,
  hideLabel = false,
  value,
  options,
  onChange,
  disabled = false,
}: SegmentedControlProps<Value>) {
  const id = useId();
  return (
    <div className={styles['field']} role="radiogroup" aria-labelledby={id}>
      <span id={id} className={hideLabel ? 'hidden-visually' : styles['label']}>
        {label}
      </span>
      <div className={styles['segments']}>
        {options.map((option) => (
          <label key={option.value} className={styles['segment']}>
            <input
              type="radio"
              name={id}
              checked={option.value === value}
              disabled={disabled}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </div>
  );
}
