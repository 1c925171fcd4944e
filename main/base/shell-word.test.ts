import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

describe('a word for a shell', () => {
  it.each(['', 'a b', "a'b", '$HOME', 'ünïcode', '-n', '~', '#x', 'a\nb', '`id`', '"', '\\'])(
    'is read back as %j',
    (word) => {
      const output = execFileSync('sh', ['-c', `printf '%s' ${shellWord(word)}`], { encoding: 'utf8' });
      expect(output).toBe(word);
    },
  );
});
