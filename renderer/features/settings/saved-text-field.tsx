import { useEffect, useState } from 'react';
import { TextField } from '../../ui/text-field.tsx';

/**
 * A text that is stored when it is left or with Enter, and not before it is right. Escape takes the change back. What
 * comes from elsewhere shows at once, unless the user is writing.
 */
export function SavedTextField({
  label,
  value,
  problem,
  onSave,
  hint,
  maxLength,
  type = 'text',
}: {
  readonly label: string;
  readonly value: string;
  readonly problem: (text: string) => string | undefined;
  readonly onSave: (text: string) => Promise<boolean>;
  readonly hint?: string | undefined;
  readonly maxLength?: number | undefined;
  readonly type?: 'text' | 'number' | undefined;
}) {
  const [draft, setDraft] = useState<string>();
  useEffect(() => setDraft(undefined), [value]);
  const text = draft ?? value;
  const wrong = draft === undefined ? undefined : problem(draft.trim());
  const commit = () => {
    if (draft === undefined || wrong !== undefined) return;
    const next = draft.trim();
    if (next === value) setDraft(undefined);
    else void onSave(next).then((stored) => (stored ? setDraft(undefined) : undefined));
  };
  return (
    <TextField
      label={label}
      value={text}
      error={wrong}
      hint={hint}
      type={type}
      maxLength={maxLength}
      onChange={setDraft}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape' && draft !== undefined) {
          event.stopPropagation();
          setDraft(undefined);
        }
      }}
    />
  );
}
