import fc from 'fast-check';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkEntry, isSafePath, safeText } from './check-message.ts';
import { Entry, EntryKind } from './gen/slipway/helper/v1/helper.ts';

describe('paths from the helper', () => {
  it.each(['', '/', '/etc/passwd', '..', '../x', 'a/../b', 'a/..', './a', 'a//b', 'a/', '.', 'a\0b', 'n'.repeat(256), 'abc/'.repeat(1200) + 'x'])(
    'are refused when they lead elsewhere: %j',
    (path) => expect(isSafePath(path)).toBe(false),
  );
  it.each(['a', 'a/b', '..a', 'a..', '...', '-rf', 'new\nline', '$HOME', 'ä', '..\\x', 'a:b'])('are accepted when they are plain: %j', (path) =>
    expect(isSafePath(path)).toBe(true),
  );
  it('stay below the root whatever they are', () => {
    const part = fc.constantFrom('a', '.', '..', '', '/', '\0', '...', 'b c');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const path = parts.join('/');
        if (isSafePath(path)) expect(posix.join('/root', path)).toBe(`/root/${path}`);
      }),
    );
  });
});

describe('entries from the helper', () => {
  const file = { kind: EntryKind.ENTRY_KIND_FILE, mode: 0o644, size: 1n };
  it.each([
    ['an unknown kind', { ...file, kind: 9 as EntryKind }],
    ['a digest of another length', { ...file, digest: Buffer.alloc(20) }],
    ['more than permission bits', { ...file, mode: 0o100644 }],
    ['a size that no number holds', { ...file, size: 2n ** 60n }],
    ['a target of a file', { ...file, target: 'x' }],
    ['a link without target', { kind: EntryKind.ENTRY_KIND_SYMLINK }],
    ['nothing where something must be', {}],
  ])('are refused with %s', (_what, entry) => expect(() => checkEntry(Entry.create(entry), 'present')).toThrow());
  it('may say that nothing is there where that is an answer', () => {
    expect(checkEntry(Entry.create({}), 'absent').kind).toBe(EntryKind.ENTRY_KIND_UNSPECIFIED);
  });
});

it('texts from the helper become one bounded line', () => {
  expect(safeText('a\n\u001b[31mb\u0007')).toBe('a [31mb');
  expect(safeText('x'.repeat(5000))).toHaveLength(1000);
});
