import { describe, expect, it } from 'vitest';
import { linesToConfirm, pasteText } from './paste-text.ts';

describe('a paste', () => {
  it.each([
    ['ls -l', 'ls -l'],
    ['a\r\nb\rc', 'a\nb\nc'],
    ['tab\there', 'tab\there'],
    ['end\x1b[201~rm -rf', 'end[201~rm -rf'],
    ['\x03\x04\x00\x7f\x9bA', 'A'],
    ['grüße 😀', 'grüße 😀'],
  ])('of %j is sent as %j', (text, sent) => expect(pasteText(text)).toBe(sent));

  it.each([
    ['ls', false, undefined],
    ['ls\n', false, ['ls', '']],
    ['a\nb', false, ['a', 'b']],
    ['a\nb', true, undefined],
  ] as const)('of %j asks about its lines (bracketed: %j)', (text, bracketed, lines) =>
    expect(linesToConfirm(text, bracketed)).toEqual(lines),
  );

  it('shows the beginning of a long one', () => {
    const lines = linesToConfirm('x\n'.repeat(100), false);
    expect(lines).toHaveLength(21);
    expect(lines?.at(-1)).toBe('… and 81 more lines');
  });
});
