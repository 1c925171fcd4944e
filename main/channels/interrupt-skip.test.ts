import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { InterruptSkip, skipBytes, skipMs } from './interrupt-skip.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const fresh = '\x18\x1b[0m\r\n';

describe('leaving out a flood after Ctrl-C', () => {
  it.each([
    ['nothing while no flood is held back', '\x03', false, ['aaa', '^C$ '], ['aaa', '^C$ ']],
    ['nothing for other keys', 'q', true, ['aaa'], ['aaa']],
    [
      'up to the ^C of the line',
      '\x03',
      true,
      ['aaa', 'aa^C\r\n$ ', 'more'],
      ['', `${fresh}^C\r\n$ `, 'more'],
    ],
    ['up to a ^C that comes in two pieces', '\x03', true, ['aa^', 'C$ '], ['', `${fresh}^C$ `]],
  ])('leaves out %s', (_name, typed, flooded, output, shown) => {
    const skip = new InterruptSkip(createFakeClock());
    expect(skip.onInput(bytes(typed), flooded)).toBe(flooded && typed === '\x03');
    expect(output.map((text) => skip.onOutput(bytes(text)).toString())).toEqual(shown);
  });

  it('ends after a time when there is no echo', async () => {
    const clock = createFakeClock();
    const skip = new InterruptSkip(clock);
    skip.onInput(bytes('\x03'), true);
    expect(skip.onOutput(bytes('aaa')).length).toBe(0);
    await clock.advance(skipMs + 1);
    expect(skip.onOutput(bytes('bbb')).toString()).toBe(`${fresh}bbb`);
    expect(skip.skipping).toBe(false);
  });

  it('ends after so many bytes when there is no echo', () => {
    const skip = new InterruptSkip(createFakeClock());
    skip.onInput(bytes('\x03'), true);
    expect(skip.onOutput(Buffer.alloc(skipBytes)).length).toBeGreaterThan(0);
    expect(skip.onOutput(bytes('x')).toString()).toBe('x');
  });
});
