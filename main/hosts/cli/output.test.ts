import { describe, expect, it } from 'vitest';
import { colouredOnly, formatError, formatTable, jsonLine, printable, printableLine } from './output.ts';

describe('text for the terminal', () => {
  it('shows control characters and direction overrides as escapes', () => {
    expect(printable('a\u001b]52;c;x\u0007b\u202ec\rd')).toBe('a\\u001b]52;c;x\\u0007b\\u202ec\\u000dd');
  });

  it('keeps line breaks, tabs and letters of any script', () => {
    expect(printable('héé\n\tñ 日本 🚢')).toBe('héé\n\tñ 日本 🚢');
  });

  it('keeps a name with a line break in its line', () => {
    expect(printableLine('↓ create a\nReady: t/web\tx\u001b[2J')).toBe(
      '↓ create a\\nReady: t/web\\tx\\u001b[2J',
    );
  });

  it('escapes in JSON what a terminal obeys, and leaves its value as it is', () => {
    const value = { path: 'a\u009b2J\u202e\u001b[0m\n日本' };
    expect(jsonLine(value)).toBe('{"path":"a\\u009b2J\\u202e\\u001b[0m\\n日本"}');
    expect(JSON.parse(jsonLine(value))).toEqual(value);
  });

  it('keeps the colours of a program and nothing else', () => {
    expect(colouredOnly('\u001b[1;31mred\u001b[0m\u001b[2J\u001b]52;c;x\u0007')).toBe(
      '\u001b[1;31mred\u001b[0m\\u001b[2J\\u001b]52;c;x\\u0007',
    );
  });

  it('prints an error as what, why and what next', () => {
    const text = formatError({
      code: 'port.in-use',
      message: 'Port 80 is in use.',
      cause: 'nginx (7) holds it.',
      next: 'Use 81.',
    });
    expect(text).toBe('Error: Port 80 is in use.\n  Why:  nginx (7) holds it.\n  Next: Use 81.');
  });

  it('aligns a table by its widest cells', () => {
    expect(
      formatTable(
        ['NAME', 'KIND'],
        [
          ['web-frontend', 'Deployment'],
          ['a', 'Job'],
        ],
      ),
    ).toBe('NAME           KIND\nweb-frontend   Deployment\na              Job');
  });
});
