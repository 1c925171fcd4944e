/** One line of one side, counted from 1. */
export interface DiffLine {
  readonly number: number;
  readonly text: string;
  /** The file ends with it, without a line feed. */
  readonly open?: true;
}

/** Two lines beside each other, or a run of lines that are alike and not shown. */
export type DiffRow =
  | {
      readonly kind: 'same' | 'changed' | 'removed' | 'added';
      readonly left?: DiffLine | undefined;
      readonly right?: DiffLine | undefined;
    }
  | { readonly kind: 'fold'; readonly count: number; readonly from: number };

export interface TextDiff {
  readonly rows: readonly DiffRow[];
  /** Lines that stand on one side alone or differ. */
  readonly different: number;
  /** False where the texts differ too much to be compared line by line: the middle is shown as replaced. */
  readonly exact: boolean;
}

/** Steps that a comparison may take: about a tenth of a second. */
const mostSteps = 3_000_000;
/** Differences after which the rest counts as replaced. */
const mostDifferences = 1500;

/** Compares two texts line by line. Its time and memory are bounded whatever the texts are. */
export function diffTexts(left: string, right: string): TextDiff {
  const [a, b] = [linesOf(left), linesOf(right)];
  const [x, y] = numbered(a, b);
  let start = 0;
  while (start < x.length && start < y.length && x[start] === y[start]) start++;
  let end = 0;
  while (end < x.length - start && end < y.length - start && x.at(-1 - end) === y.at(-1 - end)) end++;
  const [endA, endB] = [x.length - end, y.length - end];
  const pairs = commonLines(x.subarray(start, endA), y.subarray(start, endB));
  const rows: DiffRow[] = [];
  const same = (i: number, j: number) => rows.push({ kind: 'same', left: a[i], right: b[j] });
  for (let i = 0; i < start; i++) same(i, i);
  let [i, j] = [start, start];
  for (const [p, q] of [...(pairs ?? []), [endA - start, endB - start] as const]) {
    replaced(rows, a.slice(i, start + p), b.slice(j, start + q));
    [i, j] = [start + p, start + q];
    if (i < endA && j < endB) same(i++, j++);
  }
  for (let k = 0; k < end; k++) same(endA + k, endB + k);
  const different = rows.reduce((sum, { kind }) => sum + (kind === 'same' ? 0 : 1), 0);
  return { rows, different, exact: pairs !== undefined };
}

/** Lines around a difference that are shown. */
const context = 3;
/** Fewer lines are shown as they are. */
const leastFolded = 4;

/** The same with long runs of lines that are alike left out, except those that were opened (by the number of their first row). */
export function foldRows(rows: readonly DiffRow[], opened: ReadonlySet<number>): readonly DiffRow[] {
  const shown: DiffRow[] = [];
  for (let from = 0; from < rows.length;) {
    let to = from;
    while (to < rows.length && rows[to]?.kind === 'same') to++;
    if (to === from) {
      const row = rows[from++];
      if (row !== undefined) shown.push(row);
      continue;
    }
    const head = from === 0 ? 0 : context;
    const tail = to === rows.length ? 0 : context;
    const count = to - from - head - tail;
    if (count < leastFolded || opened.has(from)) shown.push(...rows.slice(from, to));
    else {
      shown.push(...rows.slice(from, from + head), { kind: 'fold', count, from });
      shown.push(...rows.slice(to - tail, to));
    }
    from = to;
  }
  return shown;
}

/** A line as it is drawn: what is alike before the difference, the difference, what is alike behind it. */
export interface DiffCell {
  /** Characters left out at the beginning. */
  readonly skipped: boolean;
  readonly before: string;
  readonly changed: string;
  readonly after: string;
  readonly cut: boolean;
}

/** Characters of a line that are drawn. */
const shownOfLine = 400;
/** Characters before a difference from which on the beginning of a line is left out, and what stays of it. */
const farIn = 60;
const nearBefore = 24;

/** Both sides of a changed line, each beginning shortly before the first difference, so that it is in sight. */
export function changedCells(left: string, right: string): readonly [DiffCell, DiffCell] {
  let start = 0;
  const shorter = Math.min(left.length, right.length);
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  start = whole(left, start);
  const from = start > farIn ? whole(left, start - nearBefore) : 0;
  return [cellOf(left, from, start, end), cellOf(right, from, start, end)];
}

/** A line that is drawn as it is. */
export function plainCell(text: string): DiffCell {
  return cellOf(text, 0, text.length, 0);
}

function cellOf(text: string, from: number, start: number, end: number): DiffCell {
  const till = Math.max(start, text.length - end);
  const last = whole(text, Math.min(text.length, from + shownOfLine));
  return {
    skipped: from > 0,
    before: text.slice(from, Math.min(start, last)),
    changed: text.slice(start, Math.min(till, last)),
    after: text.slice(till, Math.max(till, last)),
    cut: last < text.length,
  };
}

/** Not in the middle of a character that is written in two. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

function linesOf(text: string): readonly DiffLine[] {
  const parts = text.split('\n');
  const last = parts.pop() ?? '';
  const lines: DiffLine[] = parts.map((part, index) => ({ number: index + 1, text: part }));
  if (last !== '') lines.push({ number: lines.length + 1, text: last, open: true });
  return lines;
}

/** Each line as the number of its text, so that comparing is cheap. */
function numbered(a: readonly DiffLine[], b: readonly DiffLine[]): readonly [Int32Array, Int32Array] {
  const known = new Map<string, number>();
  const number = ({ text, open }: DiffLine): number => {
    const key = open === true ? `${text}\n` : text;
    const found = known.get(key) ?? known.size;
    known.set(key, found);
    return found;
  };
  return [Int32Array.from(a, number), Int32Array.from(b, number)];
}

/** What one side has in place of the other: lines beside each other as far as both have some. */
function replaced(rows: DiffRow[], left: readonly DiffLine[], right: readonly DiffLine[]): void {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a, b] = [left[index], right[index]];
    const kind = a === undefined ? 'added' : b === undefined ? 'removed' : 'changed';
    rows.push({ kind, left: a, right: b });
  }
}

/** The pairs of a longest common subsequence (Myers' greedy way), in order; undefined where that would take too long. */
function commonLines(x: Int32Array, y: Int32Array): readonly (readonly [number, number])[] | undefined {
  const [n, m] = [x.length, y.length];
  if (n === 0 || m === 0) return [];
  const limit = Math.min(n + m, mostDifferences);
  const furthest = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  const middle = limit + 1;
  let steps = 0;
  for (let d = 0; d <= limit; d++) {
    trace.push(furthest.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const below = furthest[middle + k - 1] ?? 0;
      const above = furthest[middle + k + 1] ?? 0;
      let i = k === -d || (k !== d && below < above) ? above : below + 1;
      const from = i;
      while (i < n && i - k < m && x[i] === y[i - k]) i++;
      furthest[middle + k] = i;
      if (i >= n && i - k >= m) return walkBack(trace, d, n, m);
      steps += 1 + i - from;
    }
    if (steps > mostSteps) return undefined;
  }
  return undefined;
}

function walkBack(
  trace: readonly Int32Array[],
  last: number,
  n: number,
  m: number,
): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [n, m];
  for (let d = last; d >= 0; d--) {
    const at = trace[d];
    const reach = (k: number): number => at?.[k + d + 1] ?? 0;
    const k = i - j;
    const down = k === -d || (k !== d && reach(k - 1) < reach(k + 1));
    const before = down ? k + 1 : k - 1;
    const fromI = d === 0 ? 0 : reach(before);
    const fromJ = d === 0 ? 0 : fromI - before;
    while (i > fromI && j > fromJ) pairs.push([--i, --j]);
    [i, j] = [fromI, fromJ];
  }
  return pairs.reverse();
}
