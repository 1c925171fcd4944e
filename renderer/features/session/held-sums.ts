import type { HeldEntry, HeldPath, HeldSum, HeldWork } from '../../../contract/sessions.ts';
import { byteText } from '../../ui/time-text.ts';

export type HeldRow = HeldPath;

/** How much of held work is where, a sentence for each side; none before it is known. */
export function heldSums(
  { kind, side }: Pick<HeldWork, 'kind' | 'side'>,
  sums: { readonly laptop?: HeldSum | undefined; readonly container?: HeldSum | undefined },
): readonly string[] {
  const { laptop, container } = sums;
  if (laptop === undefined || container === undefined) return [];
  const would = kind === 'brake' ? ', which would be deleted' : ', which would change';
  return [
    `This machine has ${sumText(laptop)}${side === 'laptop' && laptop.count > 0 ? would : ''}.`,
    `The container has ${sumText(container)}${side === 'container' && container.count > 0 ? would : ''}.`,
  ];
}

function sumText({ count, bytes }: HeldSum): string {
  if (count === 0) return 'none of them';
  return `${count.toLocaleString('en')} of them (${byteText(bytes)})`;
}

const names = { here: 'here', container: 'container' } as const;

/** What a side has at a path, in its column. */
export function entryText(side: keyof typeof names, entry: HeldEntry | undefined): string {
  if (entry === undefined) return '';
  const what =
    entry.kind === 'file' && entry.size !== undefined
      ? byteText(entry.size)
      : { file: 'file', directory: 'folder', symlink: 'link', other: 'special' }[entry.kind];
  return `${names[side]}: ${what}`;
}
