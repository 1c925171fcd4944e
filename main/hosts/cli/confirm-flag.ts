import type { Command } from 'commander';

/** The flag of every command that changes something in a cluster. */
export interface ConfirmFlag {
  readonly confirm?: string;
}

export function addConfirmFlag(command: Command): Command {
  return command.option(
    '--confirm <context>',
    'the name of the context, where its guard asks for it and nobody can be asked',
  );
}
