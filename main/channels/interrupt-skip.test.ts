import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import {
  floodBytes,
  InterruptSkip,
  keptBytes,
  pauseMs,
  rateMs,
  skipBytes,
  skipMs,
} from './interrupt-skip.ts';
import { resetModes } from './terminal-modes.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const marked = (modes = ''): string => `\x18${resetModes}${modes}\r\n`;
const fresh = marked();

function flooded(before = '') {
  const clock = createFakeClock();
  const late: string[] = [];
  const skip = new InterruptSkip(clock, (shown) => void late.push(shown.toString()));
  skip.onOutput(Buffer.concat([bytes(before), Buffer.alloc(floodBytes, 'a')]));
  return { skip, clock, late };
}

describe('leaving out a flood after Ctrl-C', () => {
  it.each([
    ['nothing for other keys', 'q', ['aaa'], ['aaa']],
    ['up to the ^C of the line', '\x03', ['aaa', 'aa^C\r\n$ ', 'more'], ['', `${fresh}^C\r\n$ `, 'more']],
    ['up to a ^C that comes in two pieces', '\x03', ['aa^', 'C$ '], ['', `${fresh}^C$ `]],
    [
      'nothing of a program that takes the whole screen',
      '\x03',
      ['a\x1b[?1049h'],
      [`${marked('\x1b[?1049h')}a\x1b[?1049h`],
    ],
  ])('leaves out %s', (_name, typed, output, shown) => {
    const { skip } = flooded();
    expect(skip.onInput(bytes(typed), false)).toBe(typed === '\x03');
    expect(output.map((text) => skip.onOutput(bytes(text)).toString())).toEqual(shown);
  });

  it('leaves out nothing while little is printed', async () => {
    const clock = createFakeClock();
    const skip = new InterruptSkip(clock, () => undefined);
    skip.onOutput(bytes('a few lines'));
    expect(skip.onInput(bytes('\x03'), false)).toBe(false);
  });

  it('leaves out nothing when the flood was over before', async () => {
    const { skip, clock } = flooded();
    await clock.advance(rateMs + 1);
    expect(skip.onInput(bytes('\x03'), false)).toBe(false);
  });

  it('leaves out what windows have held back, however long', async () => {
    const { skip, clock } = flooded();
    await clock.advance(60_000);
    expect(skip.onInput(bytes('\x03'), true)).toBe(true);
    expect(skip.onOutput(bytes('aaa')).length).toBe(0);
    expect(skip.onOutput(bytes('a^C$ ')).toString()).toBe(`${fresh}^C$ `);
  });

  it('leaves out nothing in a full-screen program', () => {
    expect(flooded('\x1b[?1049h').skip.onInput(bytes('\x03'), false)).toBe(false);
  });

  it('shows the answer of a program without an echo when the flood has paused', async () => {
    const { skip, clock, late } = flooded();
    skip.onInput(bytes('\x03'), false);
    expect(skip.onOutput(bytes('aaa\n')).length).toBe(0);
    await clock.advance(pauseMs / 2);
    expect(skip.onOutput(bytes('stopped\n> ')).length).toBe(0);
    await clock.advance(pauseMs / 2);
    expect(late).toEqual([]);
    await clock.advance(pauseMs);
    expect(late).toEqual([`${fresh}aaa\nstopped\n> `]);
    expect(skip.onOutput(bytes('ccc')).toString()).toBe('ccc');
    await clock.advance(pauseMs * 2);
    expect(late.length).toBe(1);
  });

  it('shows only the last whole lines of a long flood', () => {
    const { skip, late } = flooded();
    skip.onInput(bytes('\x03'), false);
    skip.onOutput(Buffer.alloc(keptBytes * 2, 'a'));
    skip.onOutput(bytes('a\n> '));
    skip.finish();
    skip.finish();
    expect(late).toEqual([`${fresh}> `]);
  });

  it('keeps the modes that were switched in what it leaves out', () => {
    const { skip } = flooded('\x1b[?2004h');
    skip.onInput(bytes('\x03'), false);
    skip.onOutput(bytes('a\x1b[?25l\x1b[?2004l'));
    expect(skip.onOutput(bytes('^C$ ')).toString()).toBe(`${marked('\x1b[?25l')}^C$ `);
  });

  it('ends after a time, and after so many bytes', async () => {
    const { skip, clock } = flooded();
    skip.onInput(bytes('\x03'), false);
    for (let waited = 0; waited < skipMs; waited += 50) {
      expect(skip.onOutput(bytes('a')).length).toBe(0);
      await clock.advance(50);
    }
    await clock.advance(50);
    expect(skip.onOutput(bytes('b')).toString()).toBe(`${fresh}b`);
    const other = flooded().skip;
    other.onInput(bytes('\x03'), false);
    expect(other.onOutput(Buffer.alloc(skipBytes)).length).toBeGreaterThan(0);
  });
});
