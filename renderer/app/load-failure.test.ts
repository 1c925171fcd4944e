import { expect, test } from 'vitest';
import { isLoadFailure } from './load-failure.ts';

test.each([
  new TypeError('Failed to fetch dynamically imported module: http://127.0.0.1:4000/assets/a.js'),
  new TypeError('error loading dynamically imported module: http://127.0.0.1:4000/assets/a.js'),
  new TypeError('Importing a module script failed.'),
  new Error('Unable to preload CSS for /assets/a.css'),
])('%s', (failure) => {
  expect(isLoadFailure(failure)).toBe(true);
});

test.each([new TypeError('a is undefined'), 'preload CSS', undefined])('not %s', (failure) => {
  expect(isLoadFailure(failure)).toBe(false);
});
