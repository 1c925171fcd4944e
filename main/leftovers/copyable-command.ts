import { shellWord } from '../base/shell-word.ts';

/**
 * A command as a person may copy it. Undefined when one of its words holds control characters or turns the direction
 * of text round: nobody should copy a command that does not look like what it does.
 */
export function copyableCommand(words: readonly string[]): string | undefined {
  return words.some((word) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word))
    ? undefined
    : words.map(shellWord).join(' ');
}
