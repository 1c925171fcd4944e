import type { PathVerdicts } from './dependencies.ts';
import type { ShellAnswer, ShellQuestion } from './running-container.ts';

/** Files of a container's folder within the rules, or why they are not known. */
export type ContainerScan =
  | { readonly kind: 'files'; readonly files: ReadonlyMap<string, number>; readonly folder: string }
  | { readonly kind: 'no-folder' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Files that are told apart. */
export const maximumFiles = 50_000;
/** Lines that are looked at, also those of files that rules leave out: more would hold up everything else here. */
export const maximumLines = 2 * maximumFiles;
const timeoutMs = 10_000;
const limitBytes = 16 * 1024 * 1024;

const noFolder = 66;
const noTools = 67;

/**
 * Looks only. The folder is the first argument, names of folders that are passed by are the others. Prints one line
 * a file: size and path for files, `l` and path for links.
 */
const script = `
cd -- "$1" 2>/dev/null || exit ${noFolder}
shift
command -v find >/dev/null 2>&1 && command -v stat >/dev/null 2>&1 || exit ${noTools}
printf 'folder %s\\n' "$(pwd)"
passed=
for name; do
  set -- "$@" -o -name "$name"
  shift
  passed=yes
done
if [ -n "$passed" ]; then
  shift
  set -- -type d '(' "$@" ')' -prune -o
fi
find . "$@" -type f -exec stat -c '%s %n' '{}' + 2>/dev/null
find . "$@" -type l -print 2>/dev/null | while IFS= read -r link; do printf 'l %s\\n' "$link"; done
exit 0
`;

export function scanQuestion(folder: string, excludes: readonly string[]): ShellQuestion {
  return { script, args: [folder, ...passedBy(excludes)], timeoutMs, limitBytes };
}

/** Folders that every path below can be left out of early: plain names, and nothing may bring a child back. */
export function passedBy(excludes: readonly string[]): readonly string[] {
  if (excludes.some((pattern) => pattern.startsWith('!'))) return [];
  return excludes
    .filter(
      (pattern) => /^[\w@.-]+\/?$/.test(pattern) && !pattern.startsWith('#') && !/^\.+\/?$/.test(pattern),
    )
    .map((pattern) => pattern.replace(/\/$/, ''))
    .slice(0, 100);
}

export function parseScan(answer: ShellAnswer, rules: PathVerdicts): ContainerScan {
  switch (answer.kind) {
    case 'refused':
      return { kind: 'unknown', reason: `The container could not be looked into. ${answer.reason}` };
    case 'cut':
      return {
        kind: 'unknown',
        reason: `The container's folder holds more than could be looked at in ${timeoutMs / 1000} seconds.`,
      };
    case 'ended':
      return parseEnded(answer.code, answer.output, rules);
  }
}

function parseEnded(code: number, output: string, rules: PathVerdicts): ContainerScan {
  if (code === noFolder) return { kind: 'no-folder' };
  if (code === noTools) {
    return {
      kind: 'unknown',
      reason: 'The container has no find and stat, so its files are not known before Start.',
    };
  }
  const [first = '', ...lines] = output.split('\n', maximumLines + 2);
  if (code !== 0 || !first.startsWith('folder ')) {
    return {
      kind: 'unknown',
      reason: `The container's shell ended with code ${code} and did not tell its files.`,
    };
  }
  if (lines.length > maximumLines) return tooMany(maximumLines);
  const files = new Map<string, number>();
  for (const line of lines) {
    const [, size, path] = /^(\d+|l) \.\/(.+)$/.exec(line) ?? [];
    if (size === undefined || path === undefined || isExcluded(path, rules)) continue;
    if (files.size >= maximumFiles) return tooMany(maximumFiles);
    files.set(path, size === 'l' ? 0 : Number(size));
  }
  return { kind: 'files', files, folder: first.slice('folder '.length) };
}

function tooMany(bound: number): ContainerScan {
  return { kind: 'unknown', reason: `The container's folder holds more than ${bound} files.` };
}

function isExcluded(path: string, rules: PathVerdicts): boolean {
  return rules.excluded(path, false);
}
