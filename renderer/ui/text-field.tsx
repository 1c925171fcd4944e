import { useId, type KeyboardEvent, type Ref } from 'react';
import { Field, textControl, type TextControlProps } from './field.tsx';

interface TextFieldProps extends TextControlProps {
  readonly type?: 'text' | 'search' | 'number' | 'password' | undefined;
  readonly autoFocus?: boolean | undefined;
  readonly onKeyDown?: ((event: KeyboardEvent<HTMLInputElement>) => void) | undefined;
  readonly onBlur?: (() => void) | undefined;
  readonly ref?: Ref<HTMLInputElement> | undefined;
}

/** One line of text. */
export function TextField(props: TextFieldProps) {
  const { label, hideLabel, hint, error, type = 'text', autoFocus = false, onKeyDown, onBlur, ref } = props;
  const id = useId();
  return (
    <Field id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <input
        {...textControl(id, props)}
        ref={ref}
        type={type}
        autoFocus={autoFocus}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
      />
    </Field>
  );
}
