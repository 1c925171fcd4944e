import { describe, expect, it } from 'vitest';
import { formatError, formatTable, printable } from './output.ts';

describe('text for the terminal', () => {
  it('shows control characters and direction overrides as escapes', () => {
    expect(printable('a\u001b]52;c;x\u0007b\u202ec\rd')).toBe('a\\u001b]52;c;x\\u0007b\\u202ec\\u000dd');
  });

  it('keeps line breaks, tabs and letters of any script', () => {
    expect(printable('héé\n\tñ 日本 🚢')).toBe('héé\n\tñ 日本 🚢');
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
