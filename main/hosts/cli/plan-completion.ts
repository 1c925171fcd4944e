import type { Command } from 'commander';
import type { GlobalOptions } from './command.ts';

/** What the word under the cursor can become. */
export type CompletionPlan =
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly prefix: string }
  | {
      readonly kind: 'contexts' | 'namespaces' | 'workloads';
      readonly prefix: string;
      /** Flags given so far: which cluster and namespace to ask. */
      readonly options: GlobalOptions;
    };

const globalFlags: Readonly<Record<string, 'namespace' | 'kubeContext' | 'kubeconfig'>> = {
  '-n': 'namespace',
  '--namespace': 'namespace',
  '--kube-context': 'kubeContext',
  '--kubeconfig': 'kubeconfig',
};

/** Decides from the words after `slipway` (the last one is being typed) what to offer. */
export function planCompletion(program: Command, words: readonly string[]): CompletionPlan {
  const prefix = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  let command = program;
  let expectsValueOf: string | undefined;
  let positionals = 0;
  const options: { -readonly [Key in keyof GlobalOptions]: GlobalOptions[Key] } = {};
  for (const word of before) {
    if (expectsValueOf !== undefined) {
      const key = globalFlags[expectsValueOf];
      if (key !== undefined) options[key] = word;
      expectsValueOf = undefined;
    } else if (word.startsWith('-')) {
      const [flag = '', value] = word.split('=', 2);
      const key = globalFlags[flag];
      if (value !== undefined && key !== undefined) options[key] = value;
      else if (takesValue(command, flag)) expectsValueOf = flag;
    } else {
      const child = command.commands.find((candidate) => candidate.name() === word);
      if (child === undefined) positionals++;
      else command = child;
    }
  }
  const given: GlobalOptions = options;
  if (expectsValueOf !== undefined) {
    const key = globalFlags[expectsValueOf];
    if (key === 'namespace') return { kind: 'namespaces', prefix, options: given };
    if (key === 'kubeContext') return { kind: 'contexts', prefix, options: given };
    return { kind: 'words', words: [], prefix };
  }
  if (prefix.startsWith('-')) return { kind: 'words', words: flagsOf(command), prefix };
  const names = visibleCommands(command);
  if (names.length > 0) return { kind: 'words', words: names, prefix };
  if (positionals === 0 && command.registeredArguments.some((argument) => argument.name() === 'workload')) {
    return { kind: 'workloads', prefix, options: given };
  }
  return { kind: 'words', words: [], prefix };
}

function takesValue(command: Command, flag: string): boolean {
  const option = command.options.find((candidate) => candidate.long === flag || candidate.short === flag);
  return option !== undefined && (option.required || option.optional);
}

function flagsOf(command: Command): readonly string[] {
  return command.options.flatMap((option) => (option.long ? [option.long] : []));
}

function visibleCommands(command: Command): readonly string[] {
  return command.commands.map((child) => child.name()).filter((name) => !name.startsWith('__'));
}
