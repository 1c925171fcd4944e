import type { Command } from 'commander';
import type { Act } from '../run-cli.ts';

interface ViewFlags {
  readonly minify?: boolean;
  readonly flatten?: boolean;
  readonly raw?: boolean;
}

export function addKubeconfigCommand(program: Command, act: Act): void {
  const kubeconfig = program
    .command('kubeconfig')
    .description('what the kubeconfig files say together; the files are only read');
  const view = kubeconfig
    .command('view')
    .description('print the merged kubeconfig as JSON; secrets are left out unless asked for')
    .option('--minify', 'only what the chosen context uses')
    .option('--flatten', 'with the files that it names inside it')
    .option('--raw', 'with the secrets');
  act<ViewFlags>(view, async (invocation, _args, flags) => {
    const config = await invocation.services.viewKubeconfig({
      kubeconfig: invocation.options.kubeconfig,
      context: invocation.options.kubeContext,
      minify: flags.minify === true,
      flatten: flags.flatten === true,
      raw: flags.raw === true,
    });
    invocation.environment.terminal.stdout.write(`${JSON.stringify(config, undefined, 2)}\n`);
    return undefined;
  });
  const get = kubeconfig
    .command('get')
    .description('ask the API server for a path, as the chosen user')
    .requiredOption('--raw <path>', 'for example /version');
  act<{ raw: string }>(get, async (invocation, _args, flags) => {
    const kube = await invocation.kube();
    invocation.environment.terminal.stdout.write(await kube.raw(flags.raw, { signal: invocation.stop }));
    return undefined;
  });
}
