import type { LogBatch, LogLine } from '../../contract/terminals.ts';
import { assertNever } from '../base/errors.ts';
import type { LogItem } from './logs.ts';

/** Bounds on one batch: it is sent as soon as one of them is reached. */
export const batchLines = 256;
export const batchCharacters = 64 * 1024;
/** Longest piece of a line, in characters; a longer line comes in several. */
export const pieceCharacters = 16 * 1024;
/** Longer texts of an interruption are cut. */
const maximumNote = 1024;

interface OpenBatch {
  readonly lines: LogLine[];
  readonly mark: Pick<LogBatch, 'run' | 'interrupted'>;
  characters: number;
}

/** Joins the items of a log to batches, in order. A mark begins a new one. */
export class LogBatches {
  #batches: OpenBatch[] = [];

  get empty(): boolean {
    return this.#batches.length === 0;
  }

  /** Whether a batch is complete, so that waiting for more is of no use. */
  get full(): boolean {
    return this.#batches.length > 1 || (this.#batches[0] !== undefined && isFull(this.#batches[0]));
  }

  add(item: LogItem): void {
    switch (item.kind) {
      case 'line':
        return this.#addLine(item.timestamp, item.text);
      case 'run': {
        const { pod, container } = item.run;
        this.#begin({ run: { pod, container } });
        return;
      }
      case 'interrupted': {
        const { message, causeText } = item.error;
        this.#begin({ interrupted: `${message} ${causeText}`.trim().slice(0, maximumNote) });
        return;
      }
      default:
        return assertNever(item);
    }
  }

  /** The oldest batch, undefined when there is none. */
  take(): LogBatch | undefined {
    const batch = this.#batches.shift();
    return batch === undefined ? undefined : { lines: batch.lines, ...batch.mark };
  }

  #addLine(at: string, text: string): void {
    for (let start = 0; start === 0 || start < text.length;) {
      const piece = text.slice(start, endOfPiece(text, start));
      start += Math.max(1, piece.length);
      this.#push(start < text.length ? { at, text: piece, more: true } : { at, text: piece });
    }
  }

  #push(line: LogLine): void {
    const last = this.#batches.at(-1);
    const batch = last === undefined || isFull(last) ? this.#begin({}) : last;
    batch.lines.push(line);
    batch.characters += line.text.length;
  }

  #begin(mark: OpenBatch['mark']): OpenBatch {
    const batch = { lines: [], mark, characters: 0 };
    this.#batches.push(batch);
    return batch;
  }
}

function isFull(batch: OpenBatch): boolean {
  return batch.lines.length >= batchLines || batch.characters >= batchCharacters;
}

/** Never between the two halves of one character. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceCharacters;
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
