import { describe, expect, it } from 'vitest';
import { entryOf } from './entry.fixture.ts';
import { loadConsentList, needsConsent } from './execution-consent.ts';
import { Tree } from './tree.ts';

const list = loadConsentList();
const asks = (path: string, ...others: string[]): boolean => {
  const tree = new Tree();
  for (const each of [path, ...others]) {
    const entry = entryOf('1');
    if (entry !== undefined) tree.set(each, entry);
  }
  const entry = tree.get(path);
  return entry !== undefined && needsConsent(path, entry, list, tree);
};

describe('what asks before it is written on the laptop', () => {
  const held = [
    '.git',
    '.git/hooks/post-checkout',
    'sub/.git',
    '.GIT/config',
    '.Git/x',
    'git~1/config',
    '.git./config',
    '.git /x',
    '.git::$INDEX_ALLOCATION/x',
    '.g\u200cit/config',
    '.gitmodules',
    '.husky/pre-commit',
    'a/.vscode/tasks.json',
    '.idea/x',
    '.devcontainer/devcontainer.json',
    '.envrc',
    'a/.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.mise.toml',
    '.mise.local.toml',
    'devspace.yaml',
    'a/b/DEVSPACE.YAML',
  ];
  for (const path of held) it(JSON.stringify(path), () => expect(asks(path)).toBe(true));
  it('a folder shaped like a bare repository', () => {
    const shape = ['x/HEAD', 'x/objects', 'x/refs'];
    expect(asks('x/hooks/post-update', ...shape)).toBe(true);
    expect(asks('x/config', ...shape)).toBe(true);
    expect(asks('x/refs', 'x/HEAD', 'x/objects')).toBe(true);
    expect(asks('HEAD', 'objects', 'refs')).toBe(true);
    expect(asks('x/config', 'x/HEAD')).toBe(false);
  });
});

describe('what does not', () => {
  for (const path of [
    'src/a.js',
    '.gitignore',
    '.github/workflows/x.yml',
    'git',
    'vscode/x',
    'package.json',
    '.env',
    'HEAD',
    'x.git.txt',
  ]) {
    it(path, () => expect(asks(path)).toBe(false));
  }
});
