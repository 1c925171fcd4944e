import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { TextField } from '../../ui/text-field.tsx';

interface PairField {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly maxLength: number;
  readonly onChange: (value: string) => void;
}

interface PairRowProps {
  readonly className: string | undefined;
  readonly first: PairField;
  readonly second: PairField;
  /** Between both fields. */
  readonly between?: ReactNode;
  /** Behind them: where they come from. */
  readonly why?: ReactNode;
  readonly removeLabel: string;
  readonly onRemove: () => void;
}

/** Two short texts that belong together, as a port and its other side or a name and its value, and their removal. */
export function PairRow({ className, first, second, between, why, removeLabel, onRemove }: PairRowProps) {
  return (
    <div className={className}>
      <TextField {...first} hideLabel mono />
      {between}
      <TextField {...second} hideLabel mono />
      {why}
      <IconButton small label={removeLabel} icon={<X />} onClick={onRemove} />
    </div>
  );
}
