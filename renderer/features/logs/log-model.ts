import type { LogBatch } from '../../../contract/terminals.ts';
import { stripAnsi } from './ansi.ts';
import { wrappedLines } from './text-width.ts';

/** Rows that are kept; the oldest go first. */
export const maximumRows = 100_000;
/** Characters that are kept, at two bytes each: 32 MB. */
export const maximumCharacters = 16 * 1024 * 1024;
/** Arrays are shortened when so many of their first items have gone. */
const slack = 20_000;

/** One line of a log, or a mark between lines. */
export interface LogRow {
  /** Rises by one with each row. */
  readonly sequence: number;
  readonly kind: 'line' | 'run' | 'interrupted';
  readonly at: string;
  readonly text: string;
  /** Without escapes: what is searched, filtered and copied. */
  readonly plain: string;
}

/** A row and where it is shown, in lines of the screen from the top. */
export interface PlacedRow {
  readonly row: LogRow;
  readonly line: number;
  readonly lines: number;
}

export type LogFilter = (text: string) => boolean;

/**
 * The latest part of a log: what is kept of it, what of that passes the filter, and how many lines of the screen it
 * takes. Adding a row costs the same however many there are.
 */
export class LogModel {
  readonly #maximumRows: number;
  readonly #maximumCharacters: number;
  readonly #all = new RowQueue<LogRow>();
  #characters = 0;
  /** All of them are always shown. */
  #marks = 0;
  #nextSequence = 0;
  #dropped = 0;
  #shown = new RowQueue<LogRow>();
  /** For each shown row the line after it, counted from the first row ever. */
  #ends = new RowQueue<number>();
  #firstLine = 0;
  #filter: LogFilter | undefined;
  #columns: number | undefined;

  constructor(bounds: { readonly rows?: number; readonly characters?: number } = {}) {
    this.#maximumRows = bounds.rows ?? maximumRows;
    this.#maximumCharacters = bounds.characters ?? maximumCharacters;
  }

  /** Lines of the log that are no longer kept. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Rows that were ever added and pass the filter or are marks; only grows while the filter stays. */
  get total(): number {
    return this.#nextSequence;
  }

  /** Rows that are kept and shown, and how many of them are lines and not marks. */
  get counts(): Readonly<Record<'kept' | 'shown' | 'keptLines' | 'shownLines', number>> {
    const [kept, shown] = [this.#all.length, this.#shown.length];
    return { kept, shown, keptLines: kept - this.#marks, shownLines: shown - this.#marks };
  }

  /** Lines of the screen, and how many have gone at the top since the layout was made. */
  get lines(): { readonly count: number; readonly gone: number } {
    return { count: (this.#ends.last ?? this.#firstLine) - this.#firstLine, gone: this.#firstLine };
  }

  append({ run, interrupted, lines }: LogBatch): void {
    if (run !== undefined) this.#add('run', '', `${run.pod} · ${run.container}`);
    if (interrupted !== undefined) this.#add('interrupted', '', interrupted);
    for (const { at, text } of lines) this.#add('line', at, text);
    this.#drop();
  }

  /** Forgets all rows; the counting goes on. */
  clear(): void {
    this.#all.clear();
    this.#characters = 0;
    this.#marks = 0;
    this.#layOut();
  }

  setFilter(filter: LogFilter | undefined): void {
    if (filter === this.#filter) return;
    this.#filter = filter;
    this.#layOut();
  }

  /** Wraps lines at so many columns, or not at all. */
  setColumns(columns: number | undefined): void {
    if (columns === this.#columns) return;
    this.#columns = columns;
    this.#layOut();
  }

  /** The rows on these lines, counted from the first one that is there. */
  rowsAt(firstLine: number, count: number): readonly PlacedRow[] {
    const placed: PlacedRow[] = [];
    for (let index = this.#indexAt(firstLine); index < this.#shown.length; index++) {
      const row = this.#shown.at(index);
      const place = this.#place(index);
      if (row === undefined || place.line >= firstLine + count) break;
      placed.push({ row, ...place });
    }
    return placed;
  }

  /** Where a row is now; undefined when it is not shown, or no longer kept. */
  placeOf(sequence: number): { readonly line: number; readonly lines: number } | undefined {
    const index = this.#indexOf(sequence);
    return this.#shown.at(index)?.sequence === sequence ? this.#place(index) : undefined;
  }

  /** The next row with a text, from a sequence on and around the end; case is ignored. */
  find(text: string, from: number, direction: 1 | -1): LogRow | undefined {
    const wanted = text.toLowerCase();
    const count = this.#shown.length;
    if (wanted === '' || count === 0) return undefined;
    const start = this.#indexOf(from);
    for (let step = 0; step < count; step++) {
      const index = (((start + step * direction) % count) + count) % count;
      const row = this.#shown.at(index);
      if (row?.plain.toLowerCase().includes(wanted) === true) return row;
    }
    return undefined;
  }

  /** What is shown, as a text without escapes. */
  text(stamped: boolean): string {
    const rows: string[] = [];
    for (let index = 0; index < this.#shown.length; index++) {
      const row = this.#shown.at(index);
      if (row !== undefined) rows.push(rowText(row, stamped));
    }
    return rows.join('\n');
  }

  #add(kind: LogRow['kind'], at: string, text: string): void {
    const row: LogRow = { sequence: this.#nextSequence++, kind, at, text, plain: stripAnsi(text) };
    this.#all.push(row);
    this.#characters += text.length;
    if (kind !== 'line') this.#marks += 1;
    this.#show(row);
  }

  #show(row: LogRow): void {
    if (row.kind === 'line' && this.#filter?.(row.plain) === false) return;
    const lines = this.#columns === undefined ? 1 : wrappedLines(row.plain, this.#columns);
    this.#ends.push((this.#ends.last ?? this.#firstLine) + lines);
    this.#shown.push(row);
  }

  #drop(): void {
    while (this.#all.length > this.#maximumRows || this.#characters > this.#maximumCharacters) {
      const row = this.#all.shift();
      if (row === undefined) return;
      this.#characters -= row.text.length;
      if (row.kind === 'line') this.#dropped += 1;
      else this.#marks -= 1;
      if (this.#shown.first?.sequence !== row.sequence) continue;
      this.#shown.shift();
      this.#firstLine = this.#ends.shift() ?? this.#firstLine;
    }
  }

  #layOut(): void {
    this.#shown = new RowQueue();
    this.#ends = new RowQueue();
    this.#firstLine = 0;
    for (let index = 0; index < this.#all.length; index++) {
      const row = this.#all.at(index);
      if (row !== undefined) this.#show(row);
    }
  }

  #place(index: number): { readonly line: number; readonly lines: number } {
    const start = index === 0 ? this.#firstLine : (this.#ends.at(index - 1) ?? 0);
    return { line: start - this.#firstLine, lines: (this.#ends.at(index) ?? 0) - start };
  }

  /** The shown row that covers a line. */
  #indexAt(line: number): number {
    return this.#search((index) => (this.#ends.at(index) ?? 0) > line + this.#firstLine);
  }

  /** The first shown row from a sequence on. */
  #indexOf(sequence: number): number {
    return this.#search((index) => (this.#shown.at(index)?.sequence ?? 0) >= sequence);
  }

  #search(reached: (index: number) => boolean): number {
    let low = 0;
    let high = this.#shown.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (reached(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** A row as it is copied. */
export function rowText({ kind, at, plain }: LogRow, stamped: boolean): string {
  if (kind === 'run') return `--- ${plain} ---`;
  if (kind === 'interrupted') return `--- interrupted: ${plain} ---`;
  return stamped && at !== '' ? `${at} ${plain}` : plain;
}

/** First in, first out, with access by index. */
class RowQueue<Item> {
  #items: Item[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  get first(): Item | undefined {
    return this.#items[this.#head];
  }

  get last(): Item | undefined {
    return this.length === 0 ? undefined : this.#items.at(-1);
  }

  at(index: number): Item | undefined {
    return this.#items[this.#head + index];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#head += 1;
    if (this.#head >= slack) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
