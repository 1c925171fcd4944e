import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import tty from 'node:tty';
import { SandboxFault } from './fault.ts';
import { findInstance, instanceName, type Instance } from './instance.ts';
import { removeInstance } from './down.ts';
import { withLock } from './lock.ts';
import { findObstacle, thisHost } from './requirements.ts';
import { reportStatus } from './status.ts';
import { instanceLock, up, type UpOptions } from './up.ts';

const usage = `usage: npm run -s sandbox -- COMMAND

  up [--install-packages]  start a one-node Kubernetes, or bring it back into order
  down                     end it and remove all it made
  reset                    start over with an empty cluster; the kubeconfig stays as it is
  status [--json]          say what runs
  kubeconfig               print the path of the sandbox's own kubeconfig
  kubectl ...              run kubectl on it

SLIPWAY_SANDBOX names the instance ("default" if unset): several can run beside one another.
`;

/** Progress goes to standard error: standard output is for what was asked. */
function say(line: string): void {
  process.stderr.write(`sandbox: ${line}\n`);
}

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case 'up':
      return runUp({ installPackages: rest.includes('--install-packages'), fresh: false });
    case 'down':
      return runDown();
    case 'reset':
      return runUp({ installPackages: false, fresh: true });
    case 'status':
      requireRoot();
      return reportStatus(instanceName(), rest.includes('--json'));
    case 'kubeconfig':
      process.stdout.write(`${runningInstance().kubeconfig}\n`);
      return 0;
    case 'kubectl':
      return runKubectl(rest);
    default:
      (command === 'help' || command === '--help' ? process.stdout : process.stderr).write(usage);
      return command === 'help' || command === '--help' ? 0 : 2;
  }
}

async function runUp(options: Omit<UpOptions, 'say'>): Promise<number> {
  const started = performance.now();
  const instance = await up({ ...options, say });
  say(`ready in ${((performance.now() - started) / 1000).toFixed(1)} s; kubeconfig: ${instance.kubeconfig}`);
  return 0;
}

async function runDown(): Promise<number> {
  requireRoot();
  const name = instanceName();
  const found = await withLock(instanceLock(name, say), () =>
    withLock({ name: 'all' }, async () => {
      const instance = findInstance(name);
      if (instance) await removeInstance(instance);
      return instance !== undefined;
    }),
  );
  say(found ? `"${name}" is down, nothing of it remains` : `"${name}" was not up`);
  return 0;
}

/** For commands that need what `up` made, but none of the programs that made it. */
function requireRoot(): void {
  const obstacle = findObstacle({ ...thisHost(), hasProgram: () => true });
  if (obstacle) throw obstacle;
}

function runningInstance(): Instance {
  const instance = findInstance(instanceName());
  if (instance && existsSync(instance.kubeconfig)) return instance;
  throw new SandboxFault(`Sandbox "${instanceName()}" is not up`, 'Start it: npm run -s sandbox -- up');
}

/** Standard streams are handed over as they are, and so are signals and the exit code. */
async function runKubectl(args: readonly string[]): Promise<number> {
  requireRoot();
  const instance = runningInstance();
  // The program that the cluster runs, not one made of newer sources: kubectl never compiles.
  const kubernetes = readFileSync(path.join(instance.stateFolder, 'program'), 'utf8');
  if (!existsSync(kubernetes)) {
    throw new SandboxFault(`${kubernetes} is gone from the cache`, 'Make it anew: npm run -s sandbox -- up');
  }
  const child = spawn(kubernetes, args, {
    argv0: 'kubectl',
    stdio: 'inherit',
    env: { ...process.env, KUBECONFIG: instance.kubeconfig },
  });
  // A terminal sends Ctrl-C to kubectl by itself; a second one would make it give up at once.
  process.on('SIGINT', () => tty.isatty(0) || child.kill('SIGINT'));
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 130 : 1)));
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SandboxFault)) throw error;
  process.stderr.write(`sandbox: ${error.message}\n${error.nextStep}\n`);
  process.exitCode = 1;
}
