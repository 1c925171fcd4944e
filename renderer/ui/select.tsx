import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useId } from 'react';
import { classNames } from './class-names.ts';
import { describedBy, Field, type FieldProps } from './field.tsx';
import styles from './field.module.css';
import popup from './popup.module.css';

interface SelectProps<Value extends string> extends FieldProps {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean | undefined;
}

/** One of several, shown on request. */
export function Select<Value extends string>({
  label,
  hideLabel,
  hint,
  error,
  value,
  options,
  onChange,
  disabled = false,
}: SelectProps<Value>) {
  const id = useId();
  return (
    <Field id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <Base.Root<Value>
        items={options}
        value={value}
        disabled={disabled}
        onValueChange={(next) => {
          if (next !== null) onChange(next);
        }}
      >
        <Base.Trigger
          {...describedBy(id, { hint, error })}
          id={id}
          className={classNames(styles['input'], styles['select'])}
        >
          <Base.Value />
          <Base.Icon render={<ChevronsUpDown aria-hidden />} />
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner
            className={popup['positioner']}
            sideOffset={4}
            collisionPadding={8}
            alignItemWithTrigger={false}
          >
            <Base.Popup className={popup['popup']}>
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} className={popup['item']}>
                  <Base.ItemText className={popup['text']}>{option.label}</Base.ItemText>
                  <Base.ItemIndicator render={<Check aria-hidden className={popup['check']} />} />
                </Base.Item>
              ))}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </Field>
  );
}
