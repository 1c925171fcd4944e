import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellCommand, shellWord } from './shell-word.ts';

describe('a word of a command', () => {
  it.each(['web', 'slipway.dev/session=0a', '', "it's", '$(reboot)', '`id`', 'a b', '*', '-n', 'ä<b>"\\'])(
    'is read back by sh as it was: %j',
    (text) => {
      const printed = execFileSync('sh', ['-c', `printf %s ${shellWord(text) ?? ''}`], { encoding: 'utf8' });
      expect(printed).toBe(text);
    },
  );

  it.each(['a\nb', 'a\u202eb', '\u001b[2J', 'a\u2028b', '\u200b'])('is not made of %j', (text) => {
    expect(shellWord(text)).toBeUndefined();
    expect(shellCommand(['kubectl', 'get', text])).toBeUndefined();
  });
});
