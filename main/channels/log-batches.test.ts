import { describe, expect, it } from 'vitest';
import { SlipwayError } from '../base/errors.ts';
import { batchLines, LogBatches, pieceCharacters } from './log-batches.ts';
import type { LogItem } from './logs.ts';

const line = (text: string): LogItem => ({ kind: 'line', timestamp: 't', text });
const run: LogItem = { kind: 'run', run: { namespace: 'n', pod: 'p', container: 'c', run: '1' } };
const error = new SlipwayError({ code: 'stream.lost', message: 'Lost.', cause: 'Gone.', next: 'Wait.' });

function batchesOf(...items: readonly LogItem[]) {
  const batches = new LogBatches();
  for (const item of items) batches.add(item);
  const taken = [];
  for (let batch = batches.take(); batch !== undefined; batch = batches.take()) taken.push(batch);
  return taken;
}

describe('batches of a log', () => {
  it('begin anew at each mark', () => {
    expect(batchesOf(run, line('a'), line('b'), { kind: 'interrupted', error }, line('c'))).toEqual([
      {
        run: { pod: 'p', container: 'c' },
        lines: [
          { at: 't', text: 'a' },
          { at: 't', text: 'b' },
        ],
      },
      { interrupted: 'Lost. Gone.', lines: [{ at: 't', text: 'c' }] },
    ]);
  });

  it('hold so many lines', () => {
    const batches = batchesOf(...Array.from({ length: batchLines + 1 }, (_, index) => line(String(index))));
    expect(batches.map(({ lines }) => lines.length)).toEqual([batchLines, 1]);
  });

  it('take a long line in pieces that lose nothing and tear no character', () => {
    const text = `x${'😀'.repeat(pieceCharacters)}`;
    const lines = batchesOf(line(text), line('')).flatMap((batch) => batch.lines);
    expect(lines.map((piece) => piece.more)).toEqual([true, true, undefined, undefined]);
    expect(lines.map((piece) => piece.text).join('')).toBe(text);
    expect(lines.every((piece) => piece.text.isWellFormed())).toBe(true);
  });
});
