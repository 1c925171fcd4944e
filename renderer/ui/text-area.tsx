import { useId } from 'react';
import { classNames } from './class-names.ts';
import { Field, textControl, type TextControlProps } from './field.tsx';
import styles from './field.module.css';

interface TextAreaProps extends TextControlProps {
  readonly rows?: number | undefined;
}

/** Several lines of text. */
export function TextArea(props: TextAreaProps) {
  const { label, hideLabel, hint, error, rows = 4 } = props;
  const id = useId();
  const control = textControl(id, props);
  return (
    <Field id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <textarea {...control} className={classNames(control.className, styles['area'])} rows={rows} />
    </Field>
  );
}
