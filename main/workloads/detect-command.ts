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
  if (script === undefined || facts === undefined) return undefined;
  const names = new Set(items.map(({ name }) => name));
  const program = lockFiles.find(({ file }) => names.has(file))?.program ?? 'npm';
  if (!facts.programs.has(program)) return undefined;
  return {
    value: `${program} run ${script}`,
    why: `package.json has the script "${script}", and the running container has ${program}`,
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

function scriptsOf(text: string | undefined): ReadonlySet<string> {
  if (text === undefined) return new Set();
  try {
    const parsed: unknown = JSON.parse(text);
    const scripts =
      typeof parsed === 'object' && parsed !== null && 'scripts' in parsed ? parsed.scripts : undefined;
    return new Set(typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []);
  } catch {
    return new Set();
  }
}
