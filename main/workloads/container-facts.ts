import type { ShellAnswer, ShellQuestion } from './running-container.ts';

/** What a look into the running container found out, for detection. */
export interface ContainerFacts {
  /** Where its processes start. */
  readonly workingFolder: string | undefined;
  /** Programs that it has, of those that were asked for. */
  readonly programs: ReadonlySet<string>;
  /** Names in some folders, by the folder. */
  readonly folders: ReadonlyMap<string, readonly string[]>;
}

/** Folders where images usually have their program. */
export const wellKnownFolders = [
  '/app',
  '/usr/src/app',
  '/workspace',
  '/src',
  '/code',
  '/srv/app',
  '/var/www/html',
  '/usr/share/nginx/html',
] as const;

const programs = [
  'node',
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'deno',
  'go',
  'air',
  'python',
  'python3',
  'flask',
  'uvicorn',
  'bundle',
  'ruby',
  'php',
  'cargo',
  'java',
  'mvn',
  'gradle',
  'dotnet',
  'make',
] as const;

/** Looks only: prints the working folder, which programs there are, and the first names of some folders. */
const script = `
printf 'cwd %s\\n' "$(pwd)"
for program in ${programs.join(' ')}; do
  command -v "$program" >/dev/null 2>&1 && printf 'program %s\\n' "$program"
done
for folder in "$(pwd)" ${wellKnownFolders.join(' ')}; do
  [ -d "$folder" ] || continue
  printf 'folder %s\\n' "$folder"
  count=0
  for item in "$folder"/* "$folder"/.[!.]*; do
    [ -e "$item" ] || continue
    count=$((count + 1))
    [ "$count" -le 200 ] || break
    printf 'item %s\\n' "\${item##*/}"
  done
done
exit 0
`;

export const factsQuestion: ShellQuestion = { script, args: [], timeoutMs: 5_000, limitBytes: 128 * 1024 };

/** Reads the answer; undefined when the container could not be looked into. */
export function parseFacts(answer: ShellAnswer): ContainerFacts | undefined {
  if (answer.kind === 'refused') return undefined;
  const found = { programs: new Set<string>(), folders: new Map<string, string[]>() };
  let workingFolder: string | undefined;
  let folder: string[] | undefined;
  for (const line of answer.output.split('\n')) {
    const space = line.indexOf(' ');
    const value = line.slice(space + 1);
    switch (line.slice(0, Math.max(space, 0))) {
      case 'cwd':
        if (value.startsWith('/')) workingFolder = value;
        break;
      case 'program':
        found.programs.add(value);
        break;
      case 'folder':
        folder = [];
        found.folders.set(value, folder);
        break;
      case 'item':
        folder?.push(value);
        break;
    }
  }
  return workingFolder === undefined ? undefined : { workingFolder, ...found };
}

/** Why no facts were found in a container that runs, as a sentence. */
export function whyBlind(answer: ShellAnswer): string {
  if (answer.kind !== 'refused') return 'The container has no shell that could tell what is in it.';
  switch (answer.code) {
    case 'cluster.read-only':
    case 'cluster.confirmation-needed':
      return 'Slipway’s guard of this context lets nothing look into containers.';
    case 'cluster.forbidden':
      return 'You may not run commands in containers here (create pods/exec), so none was looked into.';
    default:
      return `The container could not be looked into. ${answer.reason}`;
  }
}
