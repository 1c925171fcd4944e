import { SlipwayError } from '../../base/errors.ts';
import { parseContainerCommand } from '../../session/container-command.ts';

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
