import { describe, expect, it } from 'vitest';
import { parseContainerCommand } from './container-command.ts';

describe('the command of the dev container', () => {
  it.each([
    ['sleep', ['sleep']],
    ['npm run dev', ['sh', '-c', 'npm run dev']],
    ['["node", "--watch", "a b.js"]', ['node', '--watch', 'a b.js']],
  ])('%s is run as %j', (text, words) => {
    expect(parseContainerCommand(text)).toEqual(words);
  });

  it.each(['', '  ', '[]', '[1]', '["a"', '[{"a":1}]'])('%j is refused', (text) => {
    expect(() => parseContainerCommand(text)).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
  });
});
