import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, visibleLine, visibleParts } from './visible-text.ts';

/** Marks in brackets, so that a row of the table reads as the screen does. */
function shown(value: string, options?: { lines?: boolean }): string {
  return visibleParts(value, options)
    .map((part) => (part.kind === 'mark' ? `[${part.text}]` : part.text))
    .join('');
}

describe('what cannot be seen is marked', () => {
  it.each([
    ['plain text', 'web-dev 1.2', 'web-dev 1.2'],
    ['nothing', '', ''],
    ['a right-to-left override', 'shop\u202egnp.exe', 'shop[U+202E]gnp.exe'],
    ['isolates', '\u2066a\u2069', '[U+2066]a[U+2069]'],
    ['a direction mark', 'a\u200fb', 'a[U+200F]b'],
    ['a zero-width space', 'ad\u200bmin', 'ad[U+200B]min'],
    ['a joiner between plain letters', 'ad\u200dmin', 'ad[U+200D]min'],
    ['a byte order mark', '\ufeffweb', '[U+FEFF]web'],
    ['a soft hyphen', 'we\u00adb', 'we[U+00AD]b'],
    ['NUL', 'a\0b', 'a[NUL]b'],
    ['DEL', 'a\u007f', 'a[DEL]'],
    ['a C1 control', 'a\u009bb', 'a[U+009B]b'],
    ['an ANSI colour', '\u001b[31mred', '[ESC][31mred'],
    ['a carriage return', 'good\rbad', 'good[CR]bad'],
    ['a line feed', 'a\nb', 'a[LF]b'],
    ['a line separator', 'a\u2028b', 'a[U+2028]b'],
    ['a tag character', 'a\u{e0041}b', 'a[U+E0041]b'],
    ['half of a pair', 'a\ud83db', 'a[U+D83D]b'],
    ['the other half', 'a\ude00b', 'a[U+DE00]b'],
    ['a Hangul filler', 'a\u3164b', 'a[U+3164]b'],
    ['a selector on a letter', 'a\ufe00b', 'a[U+FE00]b'],
  ])('%s', (_name, value, expected) => {
    expect(shown(value)).toBe(expected);
  });
});

describe('what people write stays', () => {
  it.each([
    ['Hebrew', 'שלום'],
    ['Arabic', 'مرحبا'],
    ['Persian with its non-joiner', 'می\u200cخواهم'],
    ['a family', '👨\u200d👩\u200d👧'],
    ['a heart with its selector', '❤\ufe0f'],
    ['a keycap', '1\ufe0f⃣'],
    ['a flag', '🇩🇪'],
    ['accents of their own', 'e\u0301'],
    ['Vietnamese', 'e\u0302\u0323'],
    ['Devanagari with its joiner', 'क्\u200dष'],
    ['a space that does not break', '5\u00a0km'],
  ])('%s', (_name, value) => {
    expect(shown(value)).toBe(value);
  });
});

it('cuts a pile of combining characters down, so that it stays within its line', () => {
  expect(shown(`Z${'\u0301'.repeat(200)}x`)).toBe(`Z${'\u0301'.repeat(4)}x`);
});

it('leaves tabs and line feeds to text of several lines', () => {
  expect(shown('a\n\tb\r\0', { lines: true })).toBe('a\n\tb[CR][NUL]');
});

it('never cuts a character in two', () => {
  expect(cut('a😀b', 2)).toBe('a');
  expect(cut('a😀b', 3)).toBe('a😀');
  expect(cut('ab', 2)).toBe('ab');
});

it('puts a text into one line of bounded length', () => {
  expect(visibleLine('a\nb')).toBe('a‹LF›b');
  expect(visibleLine('x'.repeat(500), 10)).toBe(`${'x'.repeat(10)}…`);
});

it('shows nothing that is hidden, whatever comes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (value) => {
      for (const part of visibleParts(value))
        expect(part.text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u2069\ufeff]/);
    }),
  );
});
