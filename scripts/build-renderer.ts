// Builds the window (renderer/ into dist/renderer) and its preload script (dist/preload), and only when something that
// goes into them has changed. `--quiet` says nothing in that case; `--clean` builds in any case, and keeps nothing of an
// earlier build: for packing.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
/** Files and folders that a build reads. */
const sources = [
  'renderer',
  'contract',
  'preload',
  'assets/icon.svg',
  'vite.config.ts',
  'package-lock.json',
  'scripts/build-renderer.ts',
];
const outputs = ['renderer', 'preload'] as const;
/** How long parts of an earlier build are kept. */
const keptForMs = 24 * 60 * 60 * 1000;

interface BuildOptions {
  readonly repository: string;
  /** Builds in any case, and keeps nothing of an earlier build. */
  readonly clean: boolean;
  /** Builds everything into one new folder; its parts then take the places of the old ones. */
  readonly build: (folder: string) => Promise<void>;
}

/** Builds what is missing or stale; true when it built. Two at the same time do the work twice and break nothing. */
export async function buildRenderer(options: BuildOptions): Promise<boolean> {
  const dist = join(options.repository, 'dist');
  const stamp = join(dist, 'window.sha256');
  const hash = await hashSources(options.repository);
  if (!options.clean && (await isCurrent(dist, stamp, hash))) return false;
  const folder = join(dist, `.window-${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
    await options.build(folder);
    if (!options.clean) await keepRecent(join(dist, 'renderer/assets'), join(folder, 'renderer/assets'));
    await rm(stamp, { force: true });
    for (const output of outputs) await replaceFolder(join(folder, output), join(dist, output));
    await writeFile(`${stamp}.${process.pid}`, hash);
    await rename(`${stamp}.${process.pid}`, stamp);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return true;
}

/** Over names and contents of everything that a build reads; tests are not part of it. */
export async function hashSources(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of (await Promise.all(sources.map((source) => filesOf(root, source)))).flat()) {
    const content = await readFile(join(root, path));
    hash.update(`\0${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function filesOf(root: string, source: string): Promise<readonly string[]> {
  const found = await stat(join(root, source)).catch(() => undefined);
  if (found === undefined) return [];
  if (!found.isDirectory()) return [source];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

async function isCurrent(dist: string, stamp: string, hash: string): Promise<boolean> {
  if (!outputs.every((output) => existsSync(join(dist, output)))) return false;
  return (await readFile(stamp, 'utf8').catch(() => '')) === hash;
}

/**
 * A window that is open has the page of an earlier build, and loads parts of it when they are first needed: they stay
 * for a day. Their names change with their content, so none is in another one's way.
 */
async function keepRecent(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(() => []);
  if (names.length > 0) await mkdir(to, { recursive: true });
  for (const name of names) {
    const { mtimeMs } = await stat(join(from, name));
    if (Date.now() - mtimeMs > keptForMs) continue;
    await cp(join(from, name), join(to, name), { preserveTimestamps: true, force: false });
  }
}

/** A reader sees the old folder or the new one, but for the moment between two renames. */
async function replaceFolder(from: string, to: string): Promise<void> {
  const old = `${from}.old`;
  await rename(to, old).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
  await rename(from, to);
}

async function buildWithVite(folder: string): Promise<void> {
  // A test that has this built is no reason for a window with React's checks for developers in it.
  process.env['NODE_ENV'] = 'production';
  const { build } = await import('vite');
  const common = { logLevel: 'warn', mode: 'production' } as const;
  await build({
    ...common,
    configFile: join(repository, 'vite.config.ts'),
    root: join(repository, 'renderer'),
    build: { outDir: join(folder, 'renderer') },
  });
  // A sandboxed preload script can neither be an ES module nor load a file of its own: one CommonJS file.
  await build({
    ...common,
    configFile: false,
    root: repository,
    build: {
      outDir: join(folder, 'preload'),
      minify: false,
      target: 'chrome140',
      lib: { entry: join(repository, 'preload/preload.ts'), formats: ['cjs'], fileName: () => 'preload.cjs' },
      rolldownOptions: { external: ['electron'] },
    },
  });
}

async function main(): Promise<void> {
  const started = performance.now();
  const clean = process.argv.includes('--clean');
  try {
    const built = await buildRenderer({ repository, clean, build: buildWithVite });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (built) console.log(`slipway: built the window in ${seconds} s`);
    else if (!process.argv.includes('--quiet'))
      console.log('slipway: the window is up to date in dist/renderer');
  } catch (error) {
    console.error(`slipway: the window could not be built: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await main();
