import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { floodBytes, InterruptSkip, pauseMs, rateMs, skipBytes, skipMs } from './interrupt-skip.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const fresh = '\x18\x1b[0m\r\n';

function flooded(before = ''): { skip: InterruptSkip; clock: ReturnType<typeof createFakeClock> } {
  const clock = createFakeClock();
  const skip = new InterruptSkip(clock);
  skip.onOutput(Buffer.concat([bytes(before), Buffer.alloc(floodBytes, 'a')]));
  return { skip, clock };
}

describe('leaving out a flood after Ctrl-C', () => {
  it.each([
    ['nothing for other keys', 'q', ['aaa'], ['aaa']],
    ['up to the ^C of the line', '\x03', ['aaa', 'aa^C\r\n$ ', 'more'], ['', `${fresh}^C\r\n$ `, 'more']],
    ['up to a ^C that comes in two pieces', '\x03', ['aa^', 'C$ '], ['', `${fresh}^C$ `]],
    ['nothing of a program that takes the whole screen', '\x03', ['a\x1b[?1049h'], [`${fresh}a\x1b[?1049h`]],
  ])('leaves out %s', (_name, typed, output, shown) => {
    const { skip } = flooded();
    expect(skip.onInput(bytes(typed), false)).toBe(typed === '\x03');
    expect(output.map((text) => skip.onOutput(bytes(text)).toString())).toEqual(shown);
  });

  it('leaves out nothing while little is printed', async () => {
    const clock = createFakeClock();
    const skip = new InterruptSkip(clock);
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

  it('ends when the flood pauses without an echo', async () => {
    const { skip, clock } = flooded();
    skip.onInput(bytes('\x03'), false);
    expect(skip.onOutput(bytes('aaa')).length).toBe(0);
    await clock.advance(pauseMs + 1);
    expect(skip.onOutput(bytes('bbb')).toString()).toBe(`${fresh}bbb`);
    expect(skip.onOutput(bytes('ccc')).toString()).toBe('ccc');
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
