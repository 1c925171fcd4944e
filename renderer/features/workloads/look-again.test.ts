import { describe, expect, it } from 'vitest';
import type { Detection, PodSummary } from '../../../contract/workloads.ts';
import { lookMark, shouldLookAgain } from './look-again.ts';

const pod = (ready: boolean): PodSummary => ({ name: 'web', ready }) as PodSummary;
const pods = (items: Readonly<Record<string, PodSummary>>) => ({ state: 'ready', items }) as const;
const found: Detection = { folder: '/f', excludes: [], ports: [], devspaceConfig: false };
const blind: Detection = { ...found, blind: 'No pod runs.' };

describe('a form that was opened before a container could be looked into', () => {
  const before = lookMark(pods({ a: pod(false) }), 'none');

  it.each([
    ['a pod became ready', lookMark(pods({ a: pod(true) }), 'none'), true],
    ['the guard was taken away', lookMark(pods({ a: pod(false) }), undefined), false],
    ['a guard was chosen', lookMark(pods({ a: pod(false) }), 'read-only'), true],
    ['another pod came that is not ready', lookMark(pods({ a: pod(false), b: pod(false) }), 'none'), false],
  ])('after %s: is filled in again %s', (_name, mark, again) => {
    expect(shouldLookAgain({ detection: blind, mark: before }, mark)).toBe(again);
  });

  it('is left alone where one was looked into, or nothing was asked yet', () => {
    const mark = lookMark(pods({ a: pod(true), b: pod(true) }), 'none');
    expect(shouldLookAgain({ detection: found, mark: before }, mark)).toBe(false);
    expect(shouldLookAgain({ detection: undefined, mark: undefined }, mark)).toBe(false);
  });

  it('does not depend on the order of pods', () => {
    expect(lookMark(pods({ b: pod(true), a: pod(true) }), 'none')).toBe(
      lookMark(pods({ a: pod(true), b: pod(true) }), 'none'),
    );
  });
});
