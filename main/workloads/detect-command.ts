import type { Detected } from '../../contract/workloads.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { FolderItem } from './folder-reader.ts';

export interface CommandEvidence {
  readonly items: readonly FolderItem[];
  readonly packageJson: string | undefined;
  /** Undefined when the container could not be looked into: then nothing is suggested. */
  readonly facts: ContainerFacts | undefined;
}

/** Names of scripts that restart or reload by themselves, the usual ones first. */
const developmentScripts = ['dev', 'start:dev', 'develop', 'watch'] as const;

const lockFiles: readonly { readonly file: string; readonly program: string }[] = [
  { file: 'pnpm-lock.yaml', program: 'pnpm' },
  { file: 'yarn.lock', program: 'yarn' },
  { file: 'bun.lockb', program: 'bun' },
  { file: 'bun.lock', program: 'bun' },
];

/** A command that is likely to work in the container; undefined as soon as anything about it is not known. */
export function detectCommand(evidence: CommandEvidence): Detected<string> | undefined {
  return byScript(evidence) ?? byTool(evidence);
}

function byScript({ items, packageJson, facts }: CommandEvidence): Detected<string> | undefined {
  const scripts = scriptsOf(packageJson);
  const script = developmentScripts.find((name) => scripts.has(name));
  const line = script === undefined ? undefined : scripts.get(script);
  if (script === undefined || line === undefined || facts === undefined) return undefined;
  const names = new Set(items.map(({ name }) => name));
  const program = lockFiles.find(({ file }) => names.has(file))?.program ?? 'npm';
  if (!facts.programs.has(program)) return withoutRunner(script, line, program, facts);
  return {
    value: `${program} run ${script}`,
    why: `package.json has the script "${script}", and the running container has ${program}`,
  };
}

/** Many images have the language and not its package manager: a script of plain words needs none. */
function withoutRunner(
  script: string,
  line: string,
  runner: string,
  facts: ContainerFacts,
): Detected<string> | undefined {
  const [program = ''] = line.split(' ');
  if (!/^[\w./:=@ -]{1,500}$/.test(line) || !facts.programs.has(program)) return undefined;
  return {
    value: line,
    why: `the script "${script}" of package.json runs it, and the running container has ${program} but no ${runner}`,
  };
}

const tools: readonly { readonly file: string; readonly program: string; readonly command: string }[] = [
  { file: '.air.toml', program: 'air', command: 'air' },
  { file: 'manage.py', program: 'python', command: 'python manage.py runserver 0.0.0.0:8000' },
];

function byTool({ items, facts }: CommandEvidence): Detected<string> | undefined {
  const names = new Set(items.map(({ name }) => name));
  const tool = tools.find(({ file, program }) => names.has(file) && facts?.programs.has(program));
  if (tool === undefined) return undefined;
  return {
    value: tool.command,
    why: `${tool.file} is in the folder, and the running container has ${tool.program}`,
  };
}

function scriptsOf(text: string | undefined): ReadonlyMap<string, string> {
  if (text === undefined) return new Map();
  try {
    const parsed: unknown = JSON.parse(text);
    const scripts =
      typeof parsed === 'object' && parsed !== null && 'scripts' in parsed ? parsed.scripts : undefined;
    if (typeof scripts !== 'object' || scripts === null) return new Map();
    return new Map(
      Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return new Map();
  }
}
