import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogOverlap, maximumRemembered, parseStampedLine } from './log-overlap.ts';

const at = (second: number, nanos: number, text = 'x') =>
  parseStampedLine(
    `2024-05-06T07:08:${String(second).padStart(2, '0')}.${String(nanos).padStart(9, '0')}Z ${text}`,
  );

describe('a line of a log', () => {
  it.each([
    ['2024-05-06T07:08:09.123456789Z hello world', '2024-05-06T07:08:09.123456789Z', 'hello world'],
    ['2024-05-06T07:08:09+02:00 x', '2024-05-06T07:08:09+02:00', 'x'],
    ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09Z', ''],
    ['2024-05-06T07:08:09Z  two spaces', '2024-05-06T07:08:09Z', ' two spaces'],
    ['unable to retrieve container logs', '', 'unable to retrieve container logs'],
  ])('%j', (line, timestamp, text) => {
    expect(parseStampedLine(line)).toEqual({ timestamp, text });
  });
});

describe('the overlap of a log that is read again', () => {
  it('asks for nothing before anything was seen, and for a second before the last line afterwards', () => {
    const overlap = new LogOverlap();
    expect(overlap.resume()).toBeUndefined();
    overlap.admit(at(9, 500));
    expect(overlap.resume()).toBe('2024-05-06T07:08:08Z');
  });

  it('drops each line as often as it was seen, also with the same time', () => {
    const overlap = new LogOverlap();
    for (const line of [at(8, 1), at(8, 2), at(8, 2)]) expect(overlap.admit(line)).toBe(true);
    overlap.resume();
    expect([at(8, 1), at(8, 2), at(8, 2), at(8, 2), at(8, 3)].map((line) => overlap.admit(line))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it('keeps a line that came late with an earlier time', () => {
    const overlap = new LogOverlap();
    overlap.admit(at(8, 5));
    overlap.resume();
    expect([at(8, 5), at(8, 4)].map((line) => overlap.admit(line))).toEqual([false, true]);
  });

  it('gives the same line once, however often the log is read again', () => {
    const overlap = new LogOverlap();
    overlap.admit(at(8, 1));
    for (let time = 0; time < 3; time++) {
      overlap.resume();
      expect(overlap.admit(at(8, 1))).toBe(false);
    }
  });

  it('forgets the oldest of too many, and takes them for seen', () => {
    const overlap = new LogOverlap();
    for (let nano = 0; nano < maximumRemembered + 10; nano++) overlap.admit(at(8, nano));
    overlap.resume();
    expect(overlap.admit(at(8, 0))).toBe(false);
    expect(overlap.admit(at(8, maximumRemembered + 9))).toBe(false);
    expect(overlap.admit(at(8, maximumRemembered + 10))).toBe(true);
  });

  it('loses and doubles nothing, wherever an ordered log breaks off', () => {
    const gaps = fc.array(fc.nat({ max: 700_000_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(gaps, fc.array(fc.nat({ max: 60 }), { maxLength: 5 }), (steps, breaks) => {
        let nanos = 0;
        const log = steps.map((step, index) => {
          nanos += step;
          const stamp = new Date(1_700_000_000_000 + Math.floor(nanos / 1e6)).toISOString().slice(0, 19);
          return parseStampedLine(`${stamp}.${String(nanos % 1e9).padStart(9, '0')}Z ${index}`);
        });
        const overlap = new LogOverlap();
        const got: string[] = [];
        for (const end of [...breaks, log.length].sort((a, b) => a - b)) {
          const since = overlap.resume() ?? '';
          const available = log
            .slice(0, end)
            .filter((line) => line.timestamp.slice(0, 19) >= since.slice(0, 19));
          for (const line of available) if (overlap.admit(line)) got.push(line.text);
        }
        expect(got).toEqual(log.map((line) => line.text));
      }),
    );
  });
});
