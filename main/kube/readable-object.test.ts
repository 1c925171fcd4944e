import type { KubernetesObject } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { hasReadableMetadata, leftOutNote, readableName } from './readable-object.ts';

it.each<[object, boolean, string]>([
  [{ metadata: { name: 'a', namespace: 'n', labels: { a: 'b' } } }, true, 'n/a'],
  [{ metadata: { name: 'a' } }, true, 'a'],
  [{ metadata: { name: 'a', labels: { a: 7 } } }, false, 'a'],
  [{ metadata: { name: 'a', annotations: { a: null } } }, false, 'a'],
  [{ metadata: { name: 7 } }, false, 'one without a name'],
  [{ metadata: { name: {}, namespace: 'n' } }, false, 'n/one without a name'],
  [{ metadata: null }, false, 'one without a name'],
  [{ metadata: 'x' }, false, 'one without a name'],
  [{}, false, 'one without a name'],
])('%j: is readable %s and called %s', (object, readable, name) => {
  expect(hasReadableMetadata(object as KubernetesObject)).toBe(readable);
  expect(readableName(object as KubernetesObject)).toBe(name);
});

it('those that are left out are counted, and the first are named', () => {
  expect(leftOutNote([])).toBeUndefined();
  expect(leftOutNote(['a'])).toBe('1 object makes no sense and is left out: a.');
  expect(leftOutNote(['a', 'b', 'c', 'd', 'e'])).toBe(
    '5 objects make no sense and are left out: a, b, c and 2 more.',
  );
});
