import { SlipwayError } from '../../base/errors.ts';

/**
 * Reads `--command`: a JSON array is taken word by word; a single word is a program; anything longer is a line for
 * the container's shell.
 */
export function parseContainerCommand(text: string): readonly string[] {
  const line = text.trim();
  if (line.startsWith('[')) {
    const words = parseWords(line);
    if (words !== undefined) return words;
  } else if (line !== '') return /\s/.test(line) ? ['sh', '-c', line] : [line];
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `The command ${JSON.stringify(text)} cannot be read.`,
    cause: 'It is neither a program, nor a line for a shell, nor a JSON array of words.',
    next: `Write it like "npm run dev" or '["node", "--watch", "server.js"]'.`,
  });
}

function parseWords(text: string): readonly string[] | undefined {
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string'))
      return words;
    return undefined;
  } catch {
    return undefined;
  }
}

/** The command of `--command` and the words behind it, each a word of its own; undefined when none was asked for. */
export function containerCommand(
  text: string | undefined,
  words: readonly string[],
): readonly string[] | undefined {
  if (words.length === 0) return text === undefined ? undefined : parseContainerCommand(text);
  if (text !== undefined) return [text, ...words];
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `"${words[0] ?? ''}" has no meaning here.`,
    cause: 'A session has one workload; further words belong to --command.',
    next: 'Check the words behind the workload; every flag begins with --.',
  });
}

/** Reads `NAME=value`; the value may hold anything, also further equal signs. */
export function parseEnvironmentVariable(text: string): { readonly name: string; readonly value: string } {
  const match = /^([^=\0]+)=([^\0]*)$/s.exec(text);
  if (match?.[1] !== undefined && match[2] !== undefined) return { name: match[1], value: match[2] };
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `${JSON.stringify(text)} does not set a variable.`,
    cause: 'A variable is written NAME=value.',
    next: 'Write it like --env LOG_LEVEL=debug.',
  });
}
