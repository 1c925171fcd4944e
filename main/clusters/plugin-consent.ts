import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Question } from '../../contract/app.ts';
import { SlipwayError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { StateFiles } from '../base/state-files.ts';
import { printable } from '../kube/errors.ts';
import type { PluginConsent } from '../kube/exec-plugin.ts';
import type { ExecEntry } from '../kube/kubeconfig.ts';
import { maskSecrets } from './mask-secrets.ts';

/** How many consents are remembered; the oldest is asked for again. */
const maximumConsents = 1000;
const storedConsents = z.strictObject({ allowed: z.array(z.string().max(128)).max(maximumConsents) });

export interface PluginConsentsOptions {
  readonly files: StateFiles;
  /** Where consents are remembered. */
  readonly path: string;
  readonly ask: (
    question: Omit<Question, 'id'>,
    options: { readonly signal: AbortSignal },
  ) => Promise<string>;
}

/** Whose sign-in programs the user lets run. */
export interface PluginConsents {
  /** For contexts of one kubeconfig that kubectl would not take by itself. */
  forFile(file: string): PluginConsent;
  /** Lets what was refused be asked again. */
  forgetRefusals(file: string): void;
}

/**
 * Asks once for each program that a kubeconfig wants to run: the same file, command, arguments and variables need
 * no second answer. A refusal holds until somebody tries again on purpose, so that no retry asks by itself.
 */
export function createPluginConsents(options: PluginConsentsOptions): PluginConsents {
  const asking = new Map<string, Promise<boolean>>();
  const refused = new Map<string, string>();
  let known: Promise<Set<string>> | undefined;
  const allowed = (): Promise<Set<string>> => (known ??= readConsents(options));
  const remember = async (hash: string): Promise<void> => {
    const hashes = await allowed();
    hashes.add(hash);
    const kept = [...hashes].slice(-maximumConsents);
    await options.files.write(options.path, `${JSON.stringify({ allowed: kept }, undefined, 2)}\n`);
  };
  const decide = async (
    file: string,
    exec: ExecEntry,
    hash: string,
    signal: AbortSignal,
  ): Promise<boolean> => {
    if ((await options.ask(questionFor(file, exec), { signal })) !== 'run') return false;
    await remember(hash);
    return true;
  };
  return {
    forFile: (file) => async (exec, signal) => {
      const hash = hashOf(file, exec);
      if ((await allowed()).has(hash)) return;
      if (refused.has(hash)) throw refusal(exec);
      let answer = asking.get(hash);
      if (answer === undefined) {
        answer = decide(file, exec, hash, signal).finally(() => asking.delete(hash));
        asking.set(hash, answer);
      }
      if (await answer) return;
      refused.set(hash, file);
      throw refusal(exec);
    },
    forgetRefusals(file) {
      for (const [hash, from] of refused) if (from === file) refused.delete(hash);
    },
  };
}

async function readConsents({ files, path }: PluginConsentsOptions): Promise<Set<string>> {
  const text = (await files.read(path))?.toString('utf8');
  const parsed = storedConsents.safeParse(text === undefined ? undefined : parseJson(text));
  // Without a readable memory everything is asked again.
  return new Set(parsed.success ? parsed.data.allowed : []);
}

/** Values of variables count too: they can make a harmless program run another one. */
function hashOf(file: string, { command, args, env }: ExecEntry): string {
  const variables = (env ?? []).map(({ name, value }) => [name, value]);
  return createHash('sha256')
    .update(JSON.stringify([file, command, args ?? [], variables]))
    .digest('hex');
}

function questionFor(file: string, exec: ExecEntry): Omit<Question, 'id'> {
  const variables = (exec.env ?? []).map(({ name }) => printable(name));
  const code = maskSecrets([exec.command, ...(exec.args ?? [])]).map((word) => shellWord(printable(word)));
  return {
    title: 'Run a Sign-in Program?',
    text: [
      `The kubeconfig ${printable(file)} signs in by running a program on this machine, as you.`,
      ...(variables.length === 0 ? [] : [`It gets these variables: ${variables.join(', ').slice(0, 1000)}.`]),
      'Run it only if you know where this file comes from. You are asked once, and again when the program, its arguments or its variables change.',
    ],
    code: code.join(' ').slice(0, 4000),
    choices: [
      { id: 'refuse', label: 'Do Not Run', danger: false },
      { id: 'run', label: 'Run', danger: true },
    ],
  };
}

function refusal(exec: ExecEntry): SlipwayError {
  return new SlipwayError({
    code: 'consent.refused',
    message: `The sign-in program ${printable(exec.command)} was not run.`,
    cause: 'You did not let it run for this kubeconfig.',
    next: 'Retry to be asked again, or choose another context.',
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
