import { describe, expect, it } from 'vitest';
import { fileOf } from './entry.fixture.ts';
import { NameTwins } from './name-twins.ts';
import { anyNames } from './paths.ts';
import { Tree } from './tree.ts';

const treeOf = (...paths: readonly string[]): Tree =>
  new Tree(paths.map((path) => [path, fileOf('1')] as const));
const folding = { windows: false, caseInsensitive: true, normalising: true };

describe('twins of a name', () => {
  it('give way to the first of them', () => {
    const twins = new NameTwins(folding, treeOf('a/readme', 'a/README', 'b'), treeOf());
    expect(['a/README', 'a/readme', 'b'].map((path) => twins.keptInstead(path))).toEqual([
      undefined,
      'a/README',
      undefined,
    ]);
  });

  it('give way to the one that is there', () => {
    const twins = new NameTwins(folding, treeOf('readme', 'README'), treeOf('readme'));
    expect([twins.keptInstead('README'), twins.keptInstead('readme')]).toEqual(['readme', undefined]);
  });

  it('take everything below a folder with them', () => {
    const twins = new NameTwins(folding, treeOf('Src/a', 'src/b'), treeOf());
    expect([twins.keptInstead('Src/a'), twins.keptInstead('src/b')]).toEqual([undefined, 'Src']);
  });

  it('are composed and decomposed letters where those are one', () => {
    const tree = treeOf('\u00e9', 'e\u0301', 'e');
    expect(new NameTwins(folding, tree, treeOf()).keptInstead('\u00e9')).toBe('e\u0301');
    const onlyCase = { ...folding, normalising: false };
    expect(new NameTwins(onlyCase, tree, treeOf()).keptInstead('\u00e9')).toBeUndefined();
  });

  it('are none for a new spelling of a name that is gone', () => {
    expect(new NameTwins(folding, treeOf('readme'), treeOf('README')).keptInstead('readme')).toBeUndefined();
  });

  it('are none where every name is itself', () => {
    expect(new NameTwins(anyNames, treeOf('a', 'A'), treeOf()).keptInstead('a')).toBeUndefined();
  });
});
