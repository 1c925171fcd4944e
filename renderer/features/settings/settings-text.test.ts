import { describe, expect, it } from 'vitest';
import { initialsProblem } from './guard-text.ts';
import { addedFile, withoutFile } from './kubeconfig-files.ts';
import { parsePatterns, patternsProblem } from './exclude-lines.ts';
import { numberProblem } from './number-text.ts';

describe('a kubeconfig file', () => {
  it.each([
    ['/a', ['/a']],
    [' ~/.kube/b ', ['/home/x/.kube/b']],
    ['C:\\kube\\c', ['C:\\kube\\c']],
  ])('%s is added', (text, files) => {
    expect(addedFile(text, '/home/x', [])).toEqual({ kind: 'files', files });
  });

  it.each([
    ['', 'Write the path'],
    ['kube/config', 'from the root'],
    ['/a', 'already'],
  ])('%j is not added', (text, sentence) => {
    const added = addedFile(text, '/home/x', ['/a']);
    expect(added.kind === 'problem' ? added.problem : '').toContain(sentence);
  });

  it('is taken out again', () => {
    expect(withoutFile(['/a', '/b'], '/a')).toEqual(['/b']);
  });
});

describe('initials', () => {
  it.each(['', 'A', 'ab1', 'Ünö'])('%j can be', (text) => expect(initialsProblem(text)).toBeUndefined());
  it.each(['abcd', 'a b', '<b>', '\u202e'])('%j cannot be', (text) =>
    expect(initialsProblem(text)).toBeDefined(),
  );
});

describe('a list of excludes', () => {
  it('has a pattern a line, without empty ones', () => {
    expect(parsePatterns('node_modules/\r\n\n  *.log \n# mine\n')).toEqual([
      'node_modules/',
      '*.log',
      '# mine',
    ]);
  });

  it('is bounded', () => {
    expect(patternsProblem(['a'])).toBeUndefined();
    expect(patternsProblem(['a'.repeat(1025)])).toContain('1,024');
    expect(patternsProblem(Array.from({ length: 1001 }, () => 'a'))).toContain('1,000');
  });
});

describe('a number', () => {
  it.each([
    ['12', undefined],
    ['7', 'From 8 to 32.'],
    ['33', 'From 8 to 32.'],
    ['1.5', 'A whole number.'],
    ['', 'A whole number.'],
    ['1e1', 'A whole number.'],
  ])('%j: %s', (text, problem) => {
    expect(numberProblem({ least: 8, most: 32 })(text)).toBe(problem);
  });
});
