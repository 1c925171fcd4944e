import { expect, it } from 'vitest';
import { withFolder } from './recent-folders.ts';

it('puts the folder first, once, and forgets the oldest', () => {
  expect(withFolder(['/a', '/b'], '/b')).toEqual(['/b', '/a']);
  const many = Array.from({ length: 20 }, (_, index) => `/${index}`);
  expect(withFolder(many, '/new')).toHaveLength(20);
  expect(withFolder(many, '/new')).not.toContain('/19');
});
