import type { Detected } from '../../contract/workloads.ts';
import type { FolderItem } from './folder-reader.ts';

interface Candidate {
  readonly name: string;
  readonly why: string;
  /** Files of which one has to be there: `build` means nothing by itself. */
  readonly beside?: readonly string[];
}

/** What each side makes for itself: the other one's would be wrong there, or only large. */
const candidates: readonly Candidate[] = [
  { name: 'node_modules', why: 'packages hold programs built for the machine that installed them' },
  { name: '.venv', why: 'a virtual environment works only on the machine that made it' },
  { name: 'venv', why: 'a virtual environment works only on the machine that made it' },
  { name: '__pycache__', why: 'Python makes it anew on each machine' },
  { name: '.pytest_cache', why: 'it is a cache of tests' },
  { name: '.mypy_cache', why: 'it is a cache of a type checker' },
  { name: 'target', why: 'it holds build output', beside: ['Cargo.toml', 'pom.xml'] },
  { name: 'build', why: 'it holds build output', beside: ['build.gradle', 'build.gradle.kts'] },
  { name: '.gradle', why: 'it is a cache of Gradle' },
  { name: 'bin', why: 'it holds build output', beside: ['*.csproj', '*.sln'] },
  { name: 'obj', why: 'it holds build output', beside: ['*.csproj', '*.sln'] },
  { name: 'dist', why: 'it holds build output', beside: ['package.json', 'pyproject.toml', 'setup.py'] },
  { name: '.next', why: 'it is build output of Next.js' },
  { name: '.nuxt', why: 'it is build output of Nuxt' },
  { name: '.turbo', why: 'it is a cache of Turborepo' },
  { name: 'coverage', why: 'it holds reports of tests', beside: ['package.json'] },
  { name: '.idea', why: 'it holds settings of an editor' },
  { name: '.terraform', why: 'it holds downloaded providers' },
];

/** Sooner or later there, whether or not they are now. */
const byMark: readonly { readonly file: string; readonly name: string }[] = [
  { file: 'package.json', name: 'node_modules' },
  { file: 'pyproject.toml', name: '__pycache__' },
  { file: 'requirements.txt', name: '__pycache__' },
  { file: 'Cargo.toml', name: 'target' },
];

/** Lines of a .gitignore that are taken over, at most. */
const maximumLines = 200;

export interface ExcludeEvidence {
  readonly items: readonly FolderItem[];
  readonly gitignore: string | undefined;
  readonly defaults: readonly string[];
}

/**
 * Patterns to begin with, each with its reason, in the order in which they decide. The sync reads no .gitignore by
 * itself, so its lines are offered.
 */
export function detectExcludes({ items, gitignore, defaults }: ExcludeEvidence): readonly Detected<string>[] {
  const found = new Map<string, string>();
  for (const pattern of defaults) found.set(pattern, 'Settings, Sync names it for every session');
  const files = new Set(items.filter(({ kind }) => kind === 'file').map(({ name }) => name));
  const folders = new Set(items.filter(({ kind }) => kind === 'directory').map(({ name }) => name));
  for (const { name, why, beside } of candidates) {
    if (folders.has(name) && isBeside(beside, files)) found.set(`${name}/`, why);
  }
  for (const { file, name } of byMark) {
    const candidate = candidates.find((known) => known.name === name);
    if (files.has(file) && candidate !== undefined && !found.has(`${name}/`)) {
      found.set(`${name}/`, candidate.why);
    }
  }
  for (const line of ignoreLines(gitignore)) {
    if (!covers(found, line)) found.set(line, "it is in the folder's .gitignore");
  }
  return [...found].map(([value, why]) => ({ value, why }));
}

function isBeside(beside: readonly string[] | undefined, files: ReadonlySet<string>): boolean {
  if (beside === undefined) return true;
  return beside.some((mark) =>
    mark.startsWith('*') ? [...files].some((file) => file.endsWith(mark.slice(1))) : files.has(mark),
  );
}

/** `node_modules` and `/node_modules/` add nothing to `node_modules/`. */
function covers(found: ReadonlyMap<string, string>, line: string): boolean {
  const bare = line.replace(/^\//, '').replace(/\/$/, '');
  return found.has(line) || found.has(`${bare}/`) || found.has(bare);
}

function ignoreLines(text: string | undefined): readonly string[] {
  return (text ?? '')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.startsWith('#') && line.length <= 1024)
    .slice(0, maximumLines);
}
