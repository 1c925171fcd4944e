import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entryOf } from './entry.fixture.ts';
import { loadConsentList, needsConsent } from './execution-consent.ts';
import { Tree } from './tree.ts';

const list = loadConsentList();

/** Another spelling of a name that some file system of a laptop takes for the same. */
const alias = (name: string): fc.Arbitrary<string> =>
  fc
    .record({
      upper: fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }),
      ignored: fc.array(
        fc.tuple(fc.nat(name.length), fc.constantFrom('\u200c', '\u200d', '\u202e', '\ufeff')),
        { maxLength: 3 },
      ),
      end: fc.constantFrom('', '.', ' ', '. .', '::$INDEX_ALLOCATION', ':x'),
    })
    .map(({ upper, ignored, end }) => {
      const letters = [...name].map((letter, index) =>
        upper[index] === true ? letter.toUpperCase() : letter,
      );
      for (const [at, what] of ignored) letters.splice(at, 0, what);
      return letters.join('') + end;
    });

it('asks for every spelling of what a laptop executes, at any depth', () => {
  const dangerous = fc
    .constantFrom(
      '.git',
      '.gitmodules',
      '.husky',
      '.vscode',
      '.idea',
      '.devcontainer',
      '.envrc',
      '.npmrc',
      'devspace.yaml',
    )
    .chain(alias);
  const plain = fc.constantFrom('a', 'src', '...', 'git', 'x.y');
  fc.assert(
    fc.property(
      fc.array(plain, { maxLength: 4 }),
      dangerous,
      fc.array(plain, { maxLength: 2 }),
      (before, name, after) => {
        const path = [...before, name, ...after].join('/');
        const entry = entryOf('1');
        if (entry === undefined) throw new Error('No entry');
        const tree = new Tree();
        tree.set(path, entry);
        expect([path, needsConsent(path, entry, list, tree)]).toEqual([path, true]);
      },
    ),
    { numRuns: 2_000 },
  );
});
