import { SlipwayError } from '../base/errors.ts';

/**
 * Reads the command of a dev container as a person writes it: a JSON array is taken word by word; a single word is a program; anything longer is a line for
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
