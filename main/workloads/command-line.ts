import type { StartForm } from '../../contract/workloads.ts';

export interface CommandLineOptions {
  readonly form: StartForm;
  readonly context: string;
  /** Named only where the command line would not find it by itself. */
  readonly kubeconfig: string | undefined;
}

const defaultStrategy = 'preferLocal';

/** The command line that does the same as the form, for a POSIX shell. */
export function devCommandLine({ form, context, kubeconfig }: CommandLineOptions): string {
  return ['slipway', ...devArguments({ form, context, kubeconfig })].map(shellWord).join(' ');
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
    ...form.env.flatMap(({ name, value }) => ['--env', `${name}=${value}`]),
  ];
}

function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}

/** A word as a POSIX shell reads it back. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
