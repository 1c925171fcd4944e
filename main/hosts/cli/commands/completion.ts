import type { Command } from 'commander';
import { SlipwayError } from '../../../base/errors.ts';
import { Invocation } from '../command.ts';
import { completionScript, shells, type Shell } from '../completion-scripts.ts';
import { planCompletion } from '../plan-completion.ts';
import type { Act } from '../run-cli.ts';
import { listWorkloads } from '../workloads.ts';
import { namespaceNames } from './list.ts';

/** A key press waits for it, so a slow cluster completes nothing instead. */
const completionTimeoutMs = 3_000;

export function addCompletionCommands(program: Command, act: Act): void {
  act(
    program
      .command('completion')
      .description(`print the completion script of a shell: ${shells.join(', ')}`)
      .argument('<shell>', shells.join(', ')),
    async (invocation, [shell = '']) => {
      if (!isShell(shell)) {
        throw new SlipwayError({
          code: 'usage.invalid',
          message: `There is no completion for "${shell}".`,
          cause: `Completion exists for ${shells.join(', ')}.`,
          next: 'For bash, add to ~/.bashrc: source <(slipway completion bash)',
        });
      }
      invocation.environment.terminal.stdout.write(completionScript(shell));
      return undefined;
    },
  );
  act(program.command('__complete', { hidden: true }).argument('[words...]'), async (invocation, words) => {
    for (const candidate of await complete(program, invocation, words)) invocation.print(candidate);
    return undefined;
  });
}

function isShell(text: string): text is Shell {
  return (shells as readonly string[]).includes(text);
}

/** Candidates for the last word; empty when the cluster cannot be asked. */
async function complete(
  program: Command,
  invocation: Invocation,
  words: readonly string[],
): Promise<readonly string[]> {
  const plan = planCompletion(program, words);
  const candidates = plan.kind === 'words' ? plan.words : await fromCluster(invocation, plan);
  return candidates.filter((candidate) => candidate.startsWith(plan.prefix) && isPlainWord(candidate));
}

/** Shells put a candidate into the line as it is: a name from a file or a cluster must not become a command there. */
export function isPlainWord(text: string): boolean {
  return /^[\w./:@%+,=-]+$/.test(text);
}

async function fromCluster(
  outer: Invocation,
  plan: Extract<ReturnType<typeof planCompletion>, { kind: 'contexts' | 'namespaces' | 'workloads' }>,
): Promise<readonly string[]> {
  const { environment } = outer;
  await using invocation = new Invocation(environment, plan.options);
  const timeout = AbortSignal.timeout(completionTimeoutMs);
  const work = async (): Promise<readonly string[]> => {
    if (plan.kind === 'contexts') {
      return (await invocation.services.contexts({ kubeconfig: plan.options.kubeconfig })).items.map(
        (item) => item.name,
      );
    }
    if (plan.kind === 'namespaces') return (await namespaceNames(invocation)).names;
    const { rows } = await listWorkloads(await invocation.kube(), await invocation.namespace(), timeout);
    return rows.filter((row) => row.kind === 'Deployment').map((row) => `deploy/${row.name}`);
  };
  const expired = new Promise<readonly string[]>((resolve) =>
    timeout.addEventListener('abort', () => resolve([]), { once: true }),
  );
  return Promise.race([work().catch(() => []), expired]);
}
