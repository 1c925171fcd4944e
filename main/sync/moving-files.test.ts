import { expect, it } from 'vitest';
import type { FileEntry } from './change.ts';
import { MovingFiles, movedLimitMs } from './moving-files.ts';

const file = (inode: bigint, digest: string, ctimeNs = 1n): FileEntry => ({
  ...{ kind: 'file', mode: 0o644, size: Number(inode) * 10, mtimeNs: 1n, ctimeNs, inode, links: 1, digest },
});

const never = (): boolean => false;
const always = (): boolean => true;

it('knows what is being moved until all moves are over and news of them was taken', () => {
  const moving = new MovingFiles();
  expect([moving.none, moving.has('a'), moving.has(undefined)]).toEqual([true, false, false]);
  const first = moving.begin([{ entry: file(1n, 'a'), trusted: true }]);
  const second = moving.begin([{ entry: file(2n, 'b'), trusted: true }]);
  expect([moving.has('a'), moving.has('b'), moving.has('c')]).toEqual([true, true, false]);
  expect([moving.hasSize(10), moving.hasSize(20), moving.hasSize(30)]).toEqual([true, true, false]);
  first(100);
  moving.forget(100, always);
  expect([moving.has('a'), moving.has('b')]).toEqual([true, true]);
  second(200);
  moving.forget(200, never);
  expect([moving.has('a'), moving.has('b')]).toEqual([true, true]);
  moving.forget(200, always);
  expect(moving.none).toBe(true);
});

it('waits for news of moves for a bounded time', () => {
  const moving = new MovingFiles();
  moving.begin([{ entry: file(1n, 'a'), trusted: true }])(100);
  moving.begin([{ entry: file(2n, 'b'), trusted: true }]);
  moving.forget(100 + movedLimitMs, never);
  expect([moving.has('a'), moving.has('b')]).toEqual([true, true]);
  moving.forget(101 + movedLimitMs, never);
  expect([moving.has('a'), moving.has('b')]).toEqual([false, true]);
});

it('recognises an untouched file under another name, and no other one', () => {
  const moving = new MovingFiles();
  moving.begin([
    { entry: file(1n, 'a'), trusted: true },
    { entry: file(2n, 'b'), trusted: false },
  ]);
  expect(moving.digestOf(file(1n, ''))).toBe('a');
  expect(moving.digestOf(file(1n, '', 2n))).toBeUndefined();
  expect(moving.digestOf(file(2n, ''))).toBeUndefined();
  expect(moving.digestOf(file(3n, ''))).toBeUndefined();
});
