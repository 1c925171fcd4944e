const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/**
 * A text as one word of a POSIX shell's command line. Undefined when it holds control characters or turns the
 * direction of text round: nobody should copy a command that does not look like what it does.
 */
export function shellWord(text: string): string | undefined {
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return undefined;
  return plain.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command, or undefined when one of its words cannot be written. */
export function shellCommand(words: readonly string[]): string | undefined {
  const quoted = words.map(shellWord);
  return quoted.some((word) => word === undefined) ? undefined : quoted.join(' ');
}
