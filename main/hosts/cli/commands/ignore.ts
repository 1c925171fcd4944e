import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SlipwayError } from '../../../base/errors.ts';
import type { Act } from '../run-cli.ts';

export function addIgnoreCommand(program: Command, act: Act): void {
  const ignore = program
    .command('ignore')
    .description(
      'say for paths whether the rules of a file ignore or keep them; a trailing slash means a folder',
    )
    .argument('<file>', 'file with patterns, one a line')
    .argument('<paths...>', 'paths relative to the folder of the rules')
    .option('--dialect <name>', 'git or devspace', 'git');
  act<{ dialect: string }>(ignore, async (invocation, [file = '', ...paths], flags) => {
    if (flags.dialect !== 'git' && flags.dialect !== 'devspace') {
      throw new SlipwayError({
        code: 'usage.invalid',
        message: `There is no dialect "${flags.dialect}".`,
        cause: 'Rules are read as git reads a .gitignore, or as DevSpace reads its exclude paths.',
        next: 'Use --dialect git or --dialect devspace.',
      });
    }
    const text = await readRules(resolve(invocation.environment.workingFolder, file));
    for (const { path, ignored } of await invocation.services.judgeIgnore({
      dialect: flags.dialect,
      text,
      paths,
    })) {
      if (invocation.json) invocation.printJson({ path, verdict: ignored ? 'ignored' : 'kept' });
      else invocation.print(`${ignored ? 'ignored' : 'kept'}\t${path}`);
    }
    return undefined;
  });
}

async function readRules(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new SlipwayError({
      code: 'sync.rules-invalid',
      message: `The rules in ${path} cannot be read.`,
      origin: error,
      next: 'Check the path and its permissions.',
    });
  }
}
