import { describe, expect, it } from 'vitest';
import { strategies } from '../../contract/workloads.ts';
import { promiseOf } from './promise.ts';

describe('what is promised about files', () => {
  it.each(strategies)('with %s is that a first sync asks before it touches this machine', (strategy) => {
    expect(promiseOf(strategy, false)).toMatch(/without asking you\.$/);
  });

  it.each(strategies)('with %s is not that where it is not the first sync', (strategy) => {
    expect(promiseOf(strategy, true)).not.toContain('asking you');
    expect(promiseOf(strategy, true)).toContain('trash');
  });
});
