import type { StartForm } from '../../contract/workloads.ts';
import { shellWord } from '../base/shell-word.ts';

export interface CommandLineOptions {
  readonly form: StartForm;
  readonly context: string;
  /** Named only where the command line would not find it by itself. */
  readonly kubeconfig: string | undefined;
  /** `hidden`: taken from the shell's own variables of these names, for where others may look on. */
  readonly values?: 'shown' | 'hidden' | undefined;
}

const defaultStrategy = 'preferLocal';

/** The command line that does the same as the form, for a POSIX shell. */
export function devCommandLine(options: CommandLineOptions): string {
  const words = ['slipway', ...devArguments(options)].map(shellWord);
  const variables = options.form.env.flatMap(({ name, value }) => [
    '--env',
    options.values === 'hidden' ? withoutValue(name) : shellWord(`${name}=${value}`),
  ]);
  return [...words, ...variables].join(' ');
}

function withoutValue(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `${name}="$${name}"` : shellWord(`${name}=…`);
}

function devArguments({ form, context, kubeconfig }: CommandLineOptions): readonly string[] {
  return [
    'dev',
    `deploy/${form.name}`,
    '-n',
    form.namespace,
    '--kube-context',
    context,
    ...flag('--kubeconfig', kubeconfig),
    '--path',
    `${form.folder}:${form.containerPath}`,
    ...flag('-c', form.container),
    ...(form.createPath ? ['--create-path'] : []),
    ...flag('--initial-sync', form.strategy === defaultStrategy ? undefined : form.strategy),
    ...form.excludes.flatMap((pattern) => ['-e', pattern]),
    ...form.ports.flatMap(({ local, remote }) => [
      '--port',
      local === remote ? String(local) : `${local}:${remote}`,
    ]),
    ...flag('--image', form.image),
    ...flag('--command', form.command),
  ];
}

function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}
