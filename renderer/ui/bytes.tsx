import { byteText } from './time-text.ts';

/** A size, in digits of one width, with the exact number on hover. */
export function Bytes({ value }: { readonly value: number }) {
  return (
    <span
      title={`${value.toLocaleString()} bytes`}
      style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}
    >
      {byteText(value)}
    </span>
  );
}
