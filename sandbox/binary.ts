import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { SandboxFault } from './fault.ts';
import { withLock } from './lock.ts';
import { findProgram, goArchitecture, systemPath } from './requirements.ts';
import { run } from './run.ts';

/** What `kubectl version` and the API server say, and the module's own version. */
export const kubernetesVersion = 'v1.34.4';

/** Packages compiled by a first build; only for saying how far it is. */
const expectedPackages = 2830;

export interface Programs {
  /** The multi-call Kubernetes binary. */
  readonly kubernetes: string;
  readonly staticServer: string;
  readonly pause: string;
}

/** Survives `down`, so that the next `up` takes seconds. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const base = environment['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache');
  return path.join(base, 'slipway', 'sandbox');
}

/** The programs from the cache, compiled first when the sources changed. */
export async function ensurePrograms(say: (line: string) => void): Promise<Programs> {
  const sources = import.meta.dirname;
  const go = await goCommand(sources);
  const folder = path.join(cacheFolder(), 'bin', await sourceHash(sources, go));
  const programs: Programs = {
    kubernetes: path.join(folder, 'sandbox-kubernetes'),
    staticServer: path.join(folder, 'static-server'),
    pause: path.join(folder, 'pause'),
  };
  if (existsSync(folder)) return programs;
  const lock = {
    name: `build/${path.basename(folder)}`,
    onWait: () => say('waiting for another process that builds the same programs'),
  };
  await withLock(lock, async () => {
    if (!existsSync(folder)) await build({ sources, folder, go, say });
  });
  return programs;
}

interface GoCommand {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

async function goCommand(sources: string): Promise<GoCommand> {
  const searchPath = `${systemPath()}:/usr/local/go/bin`;
  const file = findProgram('go', searchPath);
  if (file === undefined) {
    throw new SandboxFault(
      'Go was not found, and the sandbox compiles Kubernetes',
      'Install Go 1.26 or newer (https://go.dev/dl) and put it on PATH.',
    );
  }
  const env = {
    ...process.env,
    PATH: searchPath,
    CGO_ENABLED: '0',
    GOFLAGS: '',
    GOOS: 'linux',
    GOARCH: goArchitecture(),
  };
  try {
    return { file, env, version: (await run([file, 'env', 'GOVERSION'], { cwd: sources, env })).trim() };
  } catch (error) {
    throw new SandboxFault(
      `Go at ${file} cannot build the sandbox: ${(error as Error).message}`,
      'Install Go 1.26 or newer (https://go.dev/dl) and put it first on PATH.',
      error,
    );
  }
}

function buildFlags(): readonly string[] {
  const version = 'k8s.io/component-base/version';
  const [major, minor] = kubernetesVersion.slice(1).split('.');
  const variables = {
    [`${version}.gitVersion`]: kubernetesVersion,
    [`${version}.gitMajor`]: major,
    [`${version}.gitMinor`]: minor,
    [`${version}.gitTreeState`]: 'clean',
  };
  const settings = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  return ['-buildvcs=false', '-trimpath', '-ldflags', ['-s', '-w', ...settings].join(' ')];
}

async function sourceHash(sources: string, go: GoCommand): Promise<string> {
  const files = ['go.mod', 'go.sum', ...globSync('cmd/**/*.go', { cwd: sources }).sort()];
  const hash = createHash('sha256').update(JSON.stringify([go.version, process.arch, buildFlags()]));
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(path.join(sources, file)));
  return hash.digest('hex').slice(0, 32);
}

interface BuildOptions {
  readonly sources: string;
  readonly folder: string;
  readonly go: GoCommand;
  readonly say: (line: string) => void;
}

/** Builds beside the cache and renames, so that a build cut short leaves nothing half done. */
async function build(options: BuildOptions): Promise<void> {
  const { folder, go, say } = options;
  await mkdir(path.dirname(folder), { recursive: true });
  const work = await mkdtemp(`${folder}-building-`);
  try {
    say(
      `building Kubernetes ${kubernetesVersion} with ${go.version}: minutes at first, then cached in ${folder}`,
    );
    const started = Date.now();
    await compile(options, work);
    await rename(work, folder);
    say(`built in ${Math.round((Date.now() - started) / 1000)} s`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Runs the compiler at a low priority and reports every five seconds how far it is. */
async function compile(options: BuildOptions, output: string): Promise<void> {
  const { go, say, sources } = options;
  const started = Date.now();
  let packages = 0;
  let modules = 0;
  const errors: string[] = [];
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    const share = Math.min(99, Math.round((packages / expectedPackages) * 100));
    const fetched = modules > 0 ? `, ${modules} modules fetched` : '';
    say(
      `building: ${seconds} s${fetched}, ${packages} of about ${expectedPackages} packages compiled (${share} %)`,
    );
  }, 5000);
  try {
    const args = ['-n', '5', go.file, 'build', '-v', ...buildFlags(), '-o', `${output}/`, './cmd/...'];
    const child = spawn('nice', args, { cwd: sources, env: go.env, stdio: ['ignore', 'inherit', 'pipe'] });
    const closed = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    for await (const line of createInterface({ input: child.stderr })) {
      if (/^[\w./~-]+$/.test(line)) packages += 1;
      else if (line.startsWith('go: downloading')) modules += 1;
      else errors.push(line);
    }
    if ((await closed) !== 0) throw buildFault(errors);
  } finally {
    clearInterval(timer);
  }
}

function buildFault(errors: readonly string[]): SandboxFault {
  return new SandboxFault(
    `Go could not build the sandbox's programs:\n${errors.slice(-20).join('\n')}`,
    'If modules could not be fetched, check the network or GOPROXY and run it again: what was compiled is kept.',
  );
}
