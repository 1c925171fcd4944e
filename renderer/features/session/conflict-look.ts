import type { ConflictNote, ConflictVersions, FileVersion } from '../../../contract/sessions.ts';
import { shownVersionBytes } from '../../../contract/sessions.ts';
import { byteText } from '../../ui/time-text.ts';

/** What is shown of both versions. */
export type Comparison =
  | { readonly kind: 'lines'; readonly left: string; readonly right: string }
  | { readonly kind: 'words'; readonly title: string; readonly text: string };

/** Lines where both are text, else a sentence on what can be told. */
export function comparisonOf({ local, remote }: ConflictVersions): Comparison {
  const problem = local.problem ?? remote.problem;
  if (problem !== undefined) return { kind: 'words', title: 'One version cannot be read', text: problem };
  if (local.digest !== undefined && local.digest === remote.digest)
    return { kind: 'words', title: 'Both are alike now', text: 'Both versions have the same content.' };
  if (local.text !== undefined && remote.text !== undefined)
    return { kind: 'lines', left: local.text, right: remote.text };
  if (local.kind !== 'file' || remote.kind !== 'file')
    return {
      kind: 'words',
      title: 'Nothing to compare line by line',
      text: `This machine: ${wordsOf(local)}. Container: ${wordsOf(remote)}.`,
    };
  return {
    kind: 'words',
    title: 'Not text',
    text: 'At least one version is no text in UTF-8; size, time and digest tell them apart.',
  };
}

/** What a version is, in a few words. */
export function wordsOf({ kind, where, size, target }: FileVersion): string {
  switch (kind) {
    case 'file':
      return size === undefined ? 'a file' : `a file of ${byteText(size)}`;
    case 'directory':
      return 'a folder';
    case 'symlink':
      return target === undefined ? 'a link' : `a link to ${target}`;
    case 'other':
      return 'a pipe, socket or device';
    case 'missing':
      return where === 'trash' ? 'not in the trash any more' : 'nothing';
  }
}

/** That only the beginning of a version is shown; undefined where all of it is. */
export function cutNote({ local, remote }: ConflictVersions): string | undefined {
  if (local.cut !== true && remote.cut !== true) return undefined;
  return `Only the first ${byteText(shownVersionBytes)} are shown and compared.`;
}

/** Whether a side's version is the one that holds. */
export function standingOf(
  winner: ConflictNote['winner'],
  side: 'local' | 'remote',
): 'won' | 'lost' | 'waits' {
  if (winner === 'none') return 'waits';
  return winner === side ? 'won' : 'lost';
}

const places = {
  laptop: 'in the folder',
  container: 'in the container',
  trash: 'in the trash of this machine',
} as const;

/** Where a version was read. */
export function placeOf({ where }: FileVersion): string {
  return places[where];
}
