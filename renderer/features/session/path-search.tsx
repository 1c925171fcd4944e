import { TextField } from '../../ui/text-field.tsx';

/** Characters, as main takes them. */
export const longestSearch = 256;
/** After the last key, before main is asked. */
export const typingMs = 200;

/** The field that narrows a list to the paths that hold a text. */
export function PathSearch({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <TextField
      label="Search in paths"
      hideLabel
      type="search"
      placeholder="Search in paths"
      value={value}
      maxLength={longestSearch}
      onChange={onChange}
    />
  );
}
