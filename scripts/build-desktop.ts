// Makes what Electron starts: main/hosts/electron/main.ts and everything that it imports, as JavaScript with the types
// blanked out, in dist/main and dist/contract. Electron's Node may be built without the part that runs TypeScript.
import { copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const entry = 'main/hosts/electron/main.ts';

/** A place in a source that names another file or a package. */
interface Mention {
  readonly start: number;
  readonly text: string;
  readonly isOwn: boolean;
}

interface DesktopBuild {
  /** Paths in the repository of everything that Electron's main process reads. */
  readonly files: readonly string[];
  /** Packages that are loaded at run time. */
  readonly packages: readonly string[];
}

/**
 * Follows every import and every `new URL('…', import.meta.url)` from `start` and writes what it finds below `output`,
 * at the same relative places. Types become spaces, so that lines and columns stay those of the sources.
 */
export async function stripSources(root: string, start: string, output: string): Promise<DesktopBuild> {
  const found = new Set<string>([resolve(root, start)]);
  const packages = new Set<string>();
  for (const path of found) {
    const target = join(output, relative(root, path).replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    if (!path.endsWith('.ts')) {
      await copyFile(path, target);
      continue;
    }
    const source = stripTypeScriptTypes(await readFile(path, 'utf8'));
    const mentions = mentionsIn(source);
    for (const { text, isOwn } of mentions) {
      if (isOwn) found.add(fileURLToPath(new URL(text, pathToFileURL(path))));
      else if (!text.startsWith('node:')) packages.add(packageOf(text));
    }
    await writeFile(target, renameOwn(source, mentions));
  }
  return {
    files: [...found].map((path) => relative(root, path)).sort(),
    packages: [...packages].filter((name) => name !== 'electron').sort(),
  };
}

/** Imports, dynamic imports, and files with an extension that are found beside the module. */
function mentionsIn(source: string): readonly Mention[] {
  const imports = ts.preProcessFile(source, true, true).importedFiles.map(({ fileName, pos }) => ({
    start: source.indexOf(fileName, pos),
    text: fileName,
    isOwn: /^\.\.?\//.test(fileName),
  }));
  const besides = source.matchAll(
    /new URL\(\s*'((?:\.\/)?[\w-]+(?:\.[\w-]+)*\.(?:ts|json))',\s*import\.meta\.url/g,
  );
  const beside = [...besides].map((match) => ({
    start: match.index + match[0].indexOf("'") + 1,
    text: match[1] ?? '',
    isOwn: true,
  }));
  return [...imports, ...beside];
}

function renameOwn(source: string, mentions: readonly Mention[]): string {
  let renamed = source;
  // A `.js` takes as much room as a `.ts`: places stay right.
  for (const { start, text, isOwn } of mentions)
    if (isOwn && text.endsWith('.ts'))
      renamed = `${renamed.slice(0, start)}${text.replace(/\.ts$/, '.js')}${renamed.slice(start + text.length)}`;
  return renamed;
}

function packageOf(text: string): string {
  return text
    .split('/')
    .slice(0, text.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Replaces dist/main and dist/contract, with the sample project that a session can be tried on, and writes the
 * package.json that names their version and their kind.
 */
export async function buildDesktop(root: string): Promise<DesktopBuild> {
  const dist = join(root, 'dist');
  await mkdir(dist, { recursive: true });
  const folder = await mkdtemp(join(dist, '.desktop-'));
  try {
    const build = await stripSources(root, entry, folder);
    for (const part of ['main', 'contract']) {
      await rm(join(dist, part), { recursive: true, force: true });
      await rename(join(folder, part), join(dist, part));
    }
    await cp(join(root, 'examples/web'), join(dist, 'examples/web'), { recursive: true, filter: isSample });
    const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    await writeFile(join(dist, 'package.json'), `${JSON.stringify({ name, version, type: 'module' })}\n`);
    return build;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isSample(path: string): boolean {
  return basename(path) !== 'node_modules';
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { files } = await buildDesktop(repository);
  console.log(`slipway: made the desktop app's ${files.length} files in dist/main`);
}
