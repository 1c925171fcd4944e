import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnsi, stripAnsi, type AnsiStyle } from './ansi.ts';

const escape = '\x1b';

describe('a line with escapes', () => {
  it.each<[string, string, readonly [string, AnsiStyle][]]>([
    ['plain text', 'hello', [['hello', {}]]],
    ['nothing', '', []],
    [
      'a colour',
      `${escape}[31mred${escape}[0m rest`,
      [
        ['red', { color: 1 }],
        [' rest', {}],
      ],
    ],
    [
      'a reset without a number',
      `${escape}[1mb${escape}[ma`,
      [
        ['b', { bold: true }],
        ['a', {}],
      ],
    ],
    ['bright colours', `${escape}[97;104mx`, [['x', { color: 15, background: 12 }]]],
    [
      'styles',
      `${escape}[1;2;3;4;7;9mx`,
      [['x', { bold: true, dim: true, italic: true, underline: true, inverse: true, strike: true }]],
    ],
    [
      'styles that end',
      `${escape}[1;3;4;31mx${escape}[22;23;24;39my`,
      [
        ['x', { bold: true, italic: true, underline: true, color: 1 }],
        ['y', {}],
      ],
    ],
    ['256 colours', `${escape}[38;5;9;48;5;196mx`, [['x', { color: 9, background: '#ff0000' }]]],
    ['greys', `${escape}[38;5;244mx`, [['x', { color: '#808080' }]]],
    ['true colour', `${escape}[38;2;1;2;255mx`, [['x', { color: '#0102ff' }]]],
    ['true colour with colons', `${escape}[38:2:1:2:3mx`, [['x', { color: '#010203' }]]],
    ['numbers that are none', `${escape}[38;2;999;0;0;1mx`, [['x', { bold: true }]]],
    ['a torn colour', `${escape}[38;5mx`, [['x', { color: 0 }]]],
    ['cursor movements', `a${escape}[2Kb${escape}[1;1Hc`, [['abc', {}]]],
    ['a command', `${escape}]0;title\x07x${escape}]8;;https://example.com${escape}\\y`, [['xy', {}]]],
    ['the clipboard', `${escape}]52;c;aGk=\x07x`, [['x', {}]]],
    ['a device string', `${escape}Pq#0${escape}\\x`, [['x', {}]]],
    ['a torn sequence', `x${escape}[31`, [['x', {}]]],
    ['a torn command', `x${escape}]0;ti`, [['x', {}]]],
    ['another escape', `${escape}(Bx${escape}=y`, [['xy', {}]]],
    ['control characters', 'a\x07b\x08c\rd\te', [['abcd\te', {}]]],
  ])('has %s', (_name, text, expected) => {
    expect(parseAnsi(text).map(({ text: part, style }) => [part, style])).toEqual(expected);
  });

  it('is the same with and without its looks', () => {
    const part = fc.constantFrom(
      'a',
      ' ',
      '€',
      escape,
      '[',
      ']',
      '31',
      ';',
      'm',
      '\\',
      '\x07',
      'P',
      '0',
      '38',
      '5',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        expect(
          parseAnsi(text)
            .map((span) => span.text)
            .join(''),
        ).toBe(stripAnsi(text));
      }),
    );
  });

  it('takes no longer for a hostile line than for another one', () => {
    const started = performance.now();
    stripAnsi(`${escape}[`.repeat(100_000) + `${escape}]`.repeat(100_000) + '0'.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
