import type { KubernetesObject } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { readEach, withUnreadable } from './unreadable.ts';

it('objects are read one by one, and those that make no sense are named', () => {
  const objects = [{ metadata: { name: 'a' } }, { metadata: { name: 'b', namespace: 'n' }, spec: 1 }, {}];
  const read = (object: KubernetesObject & { readonly spec?: unknown }): string => {
    if (object.spec !== undefined || object.metadata === undefined) throw new TypeError('x is not iterable');
    return object.metadata.name ?? '';
  };
  expect(readEach(objects, read)).toEqual({ results: ['a'], unreadable: ['n/b', 'one without a name'] });
});

it.each([
  [{ state: 'ready' }, [], { state: 'ready' }],
  [{ state: 'ready' }, ['a'], { state: 'partial', notes: ['1 object makes no sense and is left out: a.'] }],
  [
    { state: 'stale', notes: ['Old.'] },
    ['a', 'b', 'c', 'd', 'e'],
    { state: 'stale', notes: ['Old.', '5 objects make no sense and are left out: a, b, c and 2 more.'] },
  ],
] as const)('the words %j without %j are %j', (words, names, expected) => {
  expect(withUnreadable(words, names)).toEqual(expected);
});
