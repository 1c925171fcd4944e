import { describe, expect, it } from 'vitest';
import { replayBytes, TerminalReplay } from './terminal-replay.ts';

const replayOf = (limit: number, ...texts: readonly string[]): string => {
  const replay = new TerminalReplay(limit);
  for (const text of texts) replay.push(Buffer.from(text));
  return replay.snapshot().toString();
};

describe('the replay of a terminal', () => {
  it.each([
    ['everything while it is little', 16, ['one ', 'two'], 'one two'],
    ['the latest part', 4, ['12345678'], '5678'],
    ['nothing of a torn sequence', 4, ['abcd\x1b[31mred'], 'red'],
    ['nothing of a torn character', 4, ['ab€cd'], 'cd'],
    ['modes that were switched long ago', 4, ['\x1b[?1049h', 'x'.repeat(50)], '\x1b[?1049hxxxx'],
    ['nothing when all of it is one torn sequence', 4, ['\x1b]0;', 'x'.repeat(50)], ''],
  ])('has %s', (_name, limit, texts, expected) => {
    expect(replayOf(limit, ...texts)).toBe(expected);
  });

  it('is bounded whatever comes', () => {
    const replay = new TerminalReplay();
    for (let index = 0; index < 5000; index++) replay.push(Buffer.from(`line ${index}\r\n`.repeat(20)));
    const text = replay.snapshot().toString();
    expect(text.length).toBeLessThanOrEqual(replayBytes);
    expect(text.length).toBeGreaterThan(replayBytes - 64);
    expect(text.endsWith('line 4999\r\n')).toBe(true);
  });

  it('keeps up with a flood', () => {
    const replay = new TerminalReplay();
    const chunk = Buffer.from('\x1b[32mok\x1b[0m a line of a test run that goes on and on\r\n'.repeat(500));
    const started = performance.now();
    for (let sent = 0; sent < 100 * 1024 * 1024; sent += chunk.length) replay.push(chunk);
    expect(performance.now() - started).toBeLessThan(8_000);
  });
});
