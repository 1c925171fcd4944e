import { visibleParts } from '../../ui/visible-text.ts';
import { parseAnsi, type AnsiStyle } from './ansi.ts';

/** A stretch of a row of one look. */
export interface RowSegment {
  readonly text: string;
  readonly style: AnsiStyle;
  /** It is what was searched for. */
  readonly hit: boolean;
}

/** Longer rows are cut where they are shown; copying gives all. */
export const shownCharacters = 4_000;
const ordinary = /^[\t -~]*$/;

/**
 * What is shown of a row: in its colours, with what was searched for apart. What nobody could see stands as a sign
 * of one column, so that a line cannot look like another one.
 */
export function rowSegments(text: string, query: string): readonly RowSegment[] {
  const spans = parseAnsi(text.length > shownCharacters ? text.slice(0, shownCharacters) : text).map(
    (span) => ({
      ...span,
      text: ordinary.test(span.text) ? span.text : seen(span.text),
    }),
  );
  if (query === '') return spans.map((span) => ({ ...span, hit: false }));
  const hits = hitsIn(spans.map((span) => span.text).join(''), query);
  const segments: RowSegment[] = [];
  let start = 0;
  for (const { text: part, style } of spans) {
    segments.push(...splitAt(part, start, hits).map((piece) => ({ ...piece, style })));
    start += part.length;
  }
  return segments;
}

function seen(text: string): string {
  return visibleParts(text, { lines: true })
    .map((part) => (part.kind === 'mark' ? '\ufffd' : part.text))
    .join('');
}

type Range = readonly [from: number, to: number];

function hitsIn(text: string, query: string): readonly Range[] {
  const lower = text.toLowerCase();
  // A text that changes its length with its case has its hits elsewhere; such a row shows none.
  if (lower.length !== text.length) return [];
  const wanted = query.toLowerCase();
  const hits: Range[] = [];
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length))
    hits.push([at, at + wanted.length]);
  return hits;
}

/** A part of a text, which begins at `start`, cut where hits begin and end. */
function splitAt(
  part: string,
  start: number,
  hits: readonly Range[],
): readonly { readonly text: string; readonly hit: boolean }[] {
  const pieces: { readonly text: string; readonly hit: boolean }[] = [];
  let at = 0;
  const add = (end: number, hit: boolean): void => {
    if (end > at) pieces.push({ text: part.slice(at, end), hit });
    at = Math.max(at, end);
  };
  for (const [from, to] of hits) {
    if (to <= start || from >= start + part.length) continue;
    add(Math.max(0, from - start), false);
    add(Math.min(part.length, to - start), true);
  }
  add(part.length, false);
  return pieces;
}
