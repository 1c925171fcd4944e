// Builds the helper for every architecture into assets/helper/, the same bytes from the same sources and Go
// version, and instantly when nothing changed. `--quiet` says nothing in that case.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

const run = promisify(execFile);
const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const architectures = ['amd64', 'arm64'] as const;
/** Bytes on disk that a helper may take; more makes injecting slow. */
const sizeLimit = 8 << 20;

interface BuildOptions {
  /** The helper's Go module. */
  readonly sources: string;
  readonly output: string;
  readonly tell: (line: string) => void;
}

interface Manifest {
  readonly build: string;
  readonly files: Readonly<
    Record<string, { readonly file: string; readonly sha256: string; readonly size: number }>
  >;
}

/** Builds what is missing or stale; true when it built anything. */
export async function buildHelper(options: BuildOptions): Promise<boolean> {
  const goVersion = await findGo();
  const build = await hashSources(options.sources, goVersion);
  if (await isCurrent(options.output, build)) return false;
  options.tell(`slipway: building the helper with ${goVersion} (first run or changed sources)`);
  await mkdir(options.output, { recursive: true });
  const files: Record<string, Manifest['files'][string]> = {};
  for (const architecture of architectures) {
    const file = `slipway-helper-linux-${architecture}`;
    options.tell(`slipway: building ${file}`);
    const path = join(options.output, file);
    await compile(options.sources, architecture, build, path);
    const content = await readFile(path);
    if (content.length > sizeLimit)
      throw new Error(`${file} takes ${content.length} bytes, more than ${sizeLimit}.`);
    await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
    files[architecture] = { file, sha256: sha256(content), size: content.length };
  }
  const manifest: Manifest = { build, files };
  const path = join(options.output, 'manifest.json');
  await writeFile(`${path}.tmp`, `${JSON.stringify(manifest, undefined, 2)}\n`);
  await rename(`${path}.tmp`, path);
  return true;
}

async function findGo(): Promise<string> {
  try {
    const { stdout } = await run('go', ['env', 'GOVERSION'], { cwd: join(repository, 'helper') });
    return stdout.trim();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'Go was not found' : String(error);
    throw new Error(
      `The helper for the containers cannot be built: ${why}. Install Go 1.26 or newer and run this again.`,
    );
  }
}

async function compile(sources: string, architecture: string, build: string, path: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w -buildid= -X main.build=${build}`];
  const environment = {
    ...process.env,
    CGO_ENABLED: '0',
    GOOS: 'linux',
    GOARCH: architecture,
    GOAMD64: 'v1',
    GOFLAGS: '',
  };
  try {
    await run('go', ['build', ...flags, '-o', temporary, './cmd/slipway-helper'], {
      cwd: sources,
      env: environment,
    });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Over names and contents of everything that a build reads, and the compiler's version. */
async function hashSources(folder: string, goVersion: string): Promise<string> {
  const hash = createHash('sha256').update(goVersion);
  for (const path of (await readdir(folder, { recursive: true })).sort()) {
    if (!/(\.go|^go\.(mod|sum))$/.test(path) || path.endsWith('_test.go')) continue;
    const content = await readFile(join(folder, path));
    hash.update(`\0${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

async function isCurrent(output: string, build: string): Promise<boolean> {
  const path = join(output, 'manifest.json');
  if (!existsSync(path)) return false;
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  if (manifest.build !== build) return false;
  for (const architecture of architectures) {
    const entry = manifest.files[architecture];
    if (entry === undefined) return false;
    const found = await stat(join(output, entry.file)).catch(() => undefined);
    if (found?.size !== entry.size || !existsSync(join(output, `${entry.file}.gz`))) return false;
  }
  return true;
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function main(): Promise<void> {
  const output = join(repository, 'assets', 'helper');
  const quiet = process.argv.includes('--quiet');
  try {
    const built = await buildHelper({
      sources: join(repository, 'helper'),
      output,
      tell: (line) => console.log(line),
    });
    if (built || !quiet)
      console.log(`slipway: the helper is ${built ? 'built' : 'up to date'} in ${relative('.', output)}`);
  } catch (error) {
    console.error(`slipway: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await main();
