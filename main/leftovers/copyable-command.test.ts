import { describe, expect, it } from 'vitest';
import { copyableCommand } from './copyable-command.ts';

describe('a command to copy', () => {
  it('is quoted for a shell', () => {
    expect(copyableCommand(['kubectl', 'get', 'a b', '$(reboot)'])).toBe("kubectl get 'a b' '$(reboot)'");
  });

  it.each(['a\nb', 'a\u202eb', '\u001b[2J', 'a\u2028b', '\u200b'])('is not made of %j', (text) => {
    expect(copyableCommand(['kubectl', 'get', text])).toBeUndefined();
  });
});
