import { describe, expect, it } from 'vitest';
import { isPlainWord } from './commands/completion.ts';
import { planCompletion } from './plan-completion.ts';
import { createProgram } from './run-cli.ts';

const program = createProgram(
  { terminal: { stdout: process.stdout, stderr: process.stderr } } as never,
  () => undefined,
);
const plan = (...words: string[]) => planCompletion(program, words);

describe('completion', () => {
  it('offers the commands, and not the hidden ones', () => {
    const { kind, ...rest } = plan('');
    expect(kind).toBe('words');
    expect(rest).toMatchObject({
      words: expect.arrayContaining(['dev', 'sync', 'leftovers', 'reset', 'list']) as unknown,
    });
    expect(JSON.stringify(rest)).not.toContain('__complete');
  });

  it('offers the commands below a command', () => {
    expect(plan('list', '')).toEqual({
      kind: 'words',
      words: ['contexts', 'namespaces', 'workloads'],
      prefix: '',
    });
  });

  it('asks the cluster for the names of workloads, in the namespace given so far', () => {
    expect(plan('dev', '-n', 'shop', '--kube-context=a', 'de')).toEqual({
      kind: 'workloads',
      prefix: 'de',
      options: { namespace: 'shop', kubeContext: 'a' },
    });
  });

  it('asks for namespaces and contexts behind their flags', () => {
    expect(plan('dev', '-n', 'sh')).toMatchObject({ kind: 'namespaces', prefix: 'sh' });
    expect(plan('--kube-context', '')).toMatchObject({ kind: 'contexts' });
  });

  it('offers flags of the command after a dash', () => {
    expect(plan('dev', '--ke')).toMatchObject({
      kind: 'words',
      words: expect.arrayContaining(['--keep', '--namespace']) as unknown,
    });
  });

  it('offers nothing where any text may stand', () => {
    expect(plan('dev', 'deploy/web', '--image', '')).toEqual({ kind: 'words', words: [], prefix: '' });
  });
});

describe('a candidate', () => {
  it.each([
    ['deploy/web', true],
    ['arn:aws:eks:eu-1:12:cluster/a_b', true],
    ['user@host.example:6443', true],
    ['--kube-context', true],
    ['$(reboot)', false],
    ['a;b', false],
    ['a b', false],
    ['*', false],
    ["a'b", false],
  ])('%j is offered: %s', (name, offered) => {
    expect(isPlainWord(name)).toBe(offered);
  });
});
