import { Command, CommanderError } from 'commander';
import { isCancellation, SlipwayError } from '../../base/errors.ts';
import { Invocation, type Environment, type GlobalOptions } from './command.ts';
import { addCompletionCommands } from './commands/completion.ts';
import { addDevCommand } from './commands/dev.ts';
import { addEnterCommand } from './commands/enter.ts';
import { addForwardCommand } from './commands/forward.ts';
import { addIgnoreCommand } from './commands/ignore.ts';
import { addKubeconfigCommand } from './commands/kubeconfig.ts';
import { addLeftoversCommands } from './commands/leftovers.ts';
import { addListCommand } from './commands/list.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addPreflightCommand } from './commands/preflight.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSyncCommand } from './commands/sync.ts';
import { addTrashCommand } from './commands/trash.ts';

/** Exit codes of the command line; a program that ran in a container hands its own through. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, cancelled: 130, forced: 131 } as const;

/** Registers a command's action; opens what it needs and closes it again, and turns failures into one message. */
export type Act = <Options extends object>(
  command: Command,
  action: (invocation: Invocation, args: readonly string[], options: Options) => Promise<number | undefined>,
) => void;

/** Runs one command line; resolves with the exit code. Bugs reject. */
export async function runCli(args: readonly string[], environment: Environment): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = createProgram(environment, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    throw error;
  }
}

/** All commands; also read by completion. */
export function createProgram(environment: Environment, setExitCode: (code: number) => void): Command {
  const program = new Command('slipway')
    .description(
      'Develop inside Kubernetes: your folder and the container are one place until you press Stop.',
    )
    .option('-n, --namespace <namespace>', 'namespace; by default that of the context')
    .option('--kube-context <name>', 'context of the kubeconfig; by default its current one')
    .option('--kubeconfig <file>', 'kubeconfig file; by default KUBECONFIG, then ~/.kube/config')
    .option('--json', 'machine-readable output, one JSON value a line')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => void environment.terminal.stdout.write(text),
      writeErr: (text) => void environment.terminal.stderr.write(text),
    });
  const act: Act = (command, action) => {
    command.action(async () => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const invocation = new Invocation(environment, options);
      setExitCode(await runAction(invocation, () => action(invocation, command.args, options as never)));
    });
  };
  addDevCommand(program, act);
  addSyncCommand(program, act);
  addTrashCommand(program, act);
  addLeftoversCommands(program, act);
  addForwardCommand(program, act);
  addPreflightCommand(program, act);
  addEnterCommand(program, act);
  addLogsCommand(program, act);
  addListCommand(program, act);
  addKubeconfigCommand(program, act);
  addIgnoreCommand(program, act);
  addServeCommand(program, act);
  addCompletionCommands(program, act);
  addVersion(program, act);
  acceptGlobalOptionsEverywhere(program);
  return program;
}

/** `slipway list -n x` reads as naturally as `slipway -n x list`: every command knows the global flags. */
function acceptGlobalOptionsEverywhere(program: Command): void {
  const visit = (command: Command): void => {
    for (const child of command.commands) {
      for (const option of program.options) {
        if (option.long !== '--version' && child.options.every((known) => known.long !== option.long))
          child.addOption(option);
      }
      child.exitOverride().showSuggestionAfterError();
      child.copyInheritedSettings(command);
      visit(child);
    }
  };
  visit(program);
}

async function runAction(invocation: Invocation, action: () => Promise<number | undefined>): Promise<number> {
  try {
    return (await action()) ?? exitCodes.ok;
  } catch (error) {
    if (isCancellation(error)) return exitCodes.cancelled;
    if (!(error instanceof SlipwayError)) throw error;
    // What was cut short needs no word; a workload that was not put back does.
    if (invocation.stop.aborted && !error.code.startsWith('session.')) return exitCodes.cancelled;
    invocation.error(error.toValue());
    return error.code === 'usage.invalid' ? exitCodes.usage : exitCodes.failed;
  } finally {
    await invocation[Symbol.asyncDispose]();
  }
}

function addVersion(program: Command, act: Act): void {
  act(program.command('version').description('print the version'), async (invocation) => {
    const version = await invocation.services.version();
    if (invocation.json) invocation.printJson(version);
    else invocation.print(`slipway ${version.version}, helper ${version.helper}`);
    return undefined;
  });
}
