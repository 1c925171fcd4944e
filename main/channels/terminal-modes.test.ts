import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TerminalModes } from './terminal-modes.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

/** The modes after a text, and whether it ends in the middle of a sequence. */
function after(text: string): { prefix: string; torn: boolean } {
  const modes = new TerminalModes();
  modes.skip(bytes(text));
  return { prefix: modes.prefix(), torn: modes.copy().skipToBoundary(bytes('x')) !== 0 };
}

describe('the modes of a terminal', () => {
  it.each([
    ['plain text', 'hello', ''],
    ['a full-screen program', '\x1b[?1049h\x1b[?25l', '\x1b[?1049h\x1b[?25l'],
    ['one that has ended', '\x1b[?1049h\x1b[?1049l', ''],
    ['several modes at once', '\x1b[?1;2004h', '\x1b[?1h\x1b[?2004h'],
    ['the keypad', '\x1b=', '\x1b='],
    ['the keypad back', '\x1b=\x1b>', ''],
    ['a full reset', '\x1b[?2004h\x1b=\x1bc', ''],
    ['a soft reset', '\x1b[?2004h\x1b[!p', ''],
    ['an unknown mode', '\x1b[?777h', ''],
    ['a mode in a command', '\x1b]0;\x1b\\[?1049h', ''],
    ['a mode that is not private', '\x1b[1049h', ''],
  ])('of %s', (_name, text, prefix) => {
    expect(after(text)).toEqual({ prefix, torn: false });
  });

  it.each([
    ['an escape', '\x1b'],
    ['a control sequence', '\x1b[38;5;1'],
    ['a command', '\x1b]8;;https://example.com'],
    ['a device string', '\x1bPq#0;2;0'],
    ['a device string with a bell', '\x1bPq\x07'],
    ['a charset', '\x1b('],
  ])('know that %s is torn', (_name, text) => {
    expect(after(text).torn).toBe(true);
  });

  it('begin after the rest of what was torn', () => {
    const modes = new TerminalModes();
    modes.skip(bytes('\x1b]0;tit'));
    expect(modes.skipToBoundary(bytes('le\x07$ '))).toBe(3);
  });

  it('begin at a whole character', () => {
    const modes = new TerminalModes();
    expect(modes.skipToBoundary(bytes('é€').subarray(1))).toBe(1);
  });

  it('are the same however the bytes are cut', () => {
    const text = fc.array(
      fc.constantFrom(
        'a',
        '€',
        '\x1b',
        '[',
        '?',
        '1049',
        '25',
        ';',
        'h',
        'l',
        ']',
        '\x07',
        '\\',
        'P',
        'c',
        '=',
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat(40), { maxLength: 5 }), (parts, cuts) => {
        const all = bytes(parts.join(''));
        const whole = new TerminalModes();
        whole.skip(all);
        const pieces = new TerminalModes();
        const bounds = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
        for (let index = 1; index < bounds.length; index++) {
          pieces.skip(all.subarray(bounds[index - 1], bounds[index]));
        }
        expect(pieces.prefix()).toBe(whole.prefix());
      }),
    );
  });
});
