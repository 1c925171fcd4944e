import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { StartForm } from '../../contract/workloads.ts';
import { systemClock } from '../base/clock.ts';
import type { Environment } from '../hosts/cli/command.ts';
import { createProgram } from '../hosts/cli/run-cli.ts';
import { devCommandLine } from './command-line.ts';

const form: StartForm = {
  cluster: 'c',
  namespace: 'shop',
  kind: 'Deployment',
  name: 'web',
  folder: '/home/anna/shop',
  containerPath: '/app',
  createPath: false,
  strategy: 'preferLocal',
  excludes: [],
  ports: [],
  env: [],
};

/** The words that a real shell makes of the line, as the real command line parses them. */
async function parsed(line: string): Promise<{ args: readonly string[]; options: Record<string, unknown> }> {
  const output = execFileSync('sh', ['-c', `slipway() { printf '%s\\0' "$@"; }\n${line}`], {
    encoding: 'utf8',
  });
  const words = output.split('\0').slice(0, -1);
  const environment = {
    terminal: { stdout: process.stdout, stderr: process.stderr },
    services: { clock: systemClock },
  } as unknown as Environment;
  const program = createProgram(environment, () => undefined);
  const dev = program.commands.find((command) => command.name() === 'dev');
  if (dev === undefined) throw new Error('There is no dev');
  let seen: { args: readonly string[]; options: Record<string, unknown> } | undefined;
  dev.action(() => {
    seen = { args: dev.args, options: dev.optsWithGlobals() };
  });
  await program.parseAsync(words, { from: 'user' });
  if (seen === undefined) throw new Error('dev was not reached');
  return seen;
}

describe('the command line of a form', () => {
  it('is short when the form says little', () => {
    expect(devCommandLine({ form, context: 'staging', kubeconfig: undefined })).toBe(
      'slipway dev deploy/web -n shop --kube-context staging --path /home/anna/shop:/app',
    );
  });

  it('means the same to the real command line, whatever is in it', async () => {
    const hostile = `it's "quoted" $(touch x) \`y\` \\ * ~ ; & | > < \n new line`;
    const full: StartForm = {
      ...form,
      container: 'web',
      folder: `/home/anna/${hostile}`,
      containerPath: './src dir',
      createPath: true,
      strategy: 'keepAll',
      excludes: ['node_modules/', '!keep me', '-e', hostile],
      ports: [
        { local: 8080, remote: 80 },
        { local: 9229, remote: 9229 },
      ],
      image: 'shop/web:dev',
      command: '["node", "--watch", "it\'s.js"]',
      env: [
        { name: 'A', value: '' },
        { name: 'B', value: `x=${hostile}` },
      ],
    };
    const line = devCommandLine({ form: full, context: '-odd context', kubeconfig: '/tmp/a b' });
    const { args, options } = await parsed(line);
    expect(args).toEqual(['deploy/web']);
    expect(options).toMatchObject({
      namespace: 'shop',
      kubeContext: '-odd context',
      kubeconfig: '/tmp/a b',
      path: [`/home/anna/${hostile}:./src dir`],
      container: 'web',
      createPath: true,
      initialSync: 'keepAll',
      exclude: full.excludes,
      port: ['8080:80', '9229'],
      image: 'shop/web:dev',
      command: full.command,
      env: ['A=', `B=x=${hostile}`],
    });
  });

  it('can leave values out and still be run', async () => {
    const env = [
      { name: 'TOKEN', value: 'very secret' },
      { name: 'a;b', value: 'very secret' },
    ];
    const line = devCommandLine({
      form: { ...form, env },
      context: 'c',
      kubeconfig: undefined,
      values: 'hidden',
    });
    expect(line).not.toContain('secret');
    const { options } = await parsed(`TOKEN='it is mine'\n${line}`);
    expect(options).toMatchObject({ env: ['TOKEN=it is mine', 'a;b=…'] });
  });
});
