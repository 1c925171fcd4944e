import { describe, expect, it } from 'vitest';
import { containerCommand, parseEnvironmentVariable } from './container-command.ts';

describe('the words behind a command', () => {
  it('are words of the command', () => {
    expect(containerCommand('sleep', ['1', 'a b'])).toEqual(['sleep', '1', 'a b']);
    expect(containerCommand('sleep 1', [])).toEqual(['sh', '-c', 'sleep 1']);
    expect(containerCommand(undefined, [])).toBeUndefined();
  });

  it('are a mistake without a command', () => {
    expect(() => containerCommand(undefined, ['x'])).toThrow(
      expect.objectContaining({ code: 'usage.invalid' }),
    );
  });
});

describe('a variable', () => {
  it.each([
    ['A=1', { name: 'A', value: '1' }],
    ['A=', { name: 'A', value: '' }],
    ['A=b=c\nd', { name: 'A', value: 'b=c\nd' }],
  ])('%j sets it', (text, variable) => {
    expect(parseEnvironmentVariable(text)).toEqual(variable);
  });

  it.each(['', 'A', '=1'])('%j is refused', (text) => {
    expect(() => parseEnvironmentVariable(text)).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
  });
});
