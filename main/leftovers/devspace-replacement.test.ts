import { describe, expect, it } from 'vitest';
import {
  decideReplacement,
  describeReplacement,
  parentOf,
  type ParentObject,
  type Replacement,
} from './devspace-replacement.ts';

function replacement(options: {
  readonly name?: string;
  readonly parentName?: string;
  readonly replicas?: number;
  readonly noted?: string | undefined;
  readonly parentObject?: ParentObject | undefined;
  readonly alone?: boolean;
}): Replacement {
  const { name = 'web-devspace', parentName = 'web', replicas = 0, noted = '2', alone = false } = options;
  const parentObject: ParentObject = {
    metadata: { annotations: noted === '' ? {} : { 'devspace.sh/replicas': noted } },
    spec: { replicas },
  };
  const devObject = {
    metadata: {
      name,
      labels: { 'devspace.sh/replaced': 'true' },
      annotations: { 'devspace.sh/parent-kind': 'Deployment', 'devspace.sh/parent-name': parentName },
    },
  };
  return {
    namespace: 't',
    name: alone ? parentName : name,
    devObject: alone ? undefined : devObject,
    parent: parentOf(devObject),
    parentObject: 'parentObject' in options ? options.parentObject : parentObject,
  };
}

describe('what DevSpace left', () => {
  it.each([
    ['is scaled back to what was noted', {}, { kind: 'scale', to: 2, removes: 'web-devspace' }],
    [
      'is only cleaned when the workload runs again',
      { replicas: 2 },
      { kind: 'clean', removes: 'web-devspace' },
    ],
    [
      'is scaled back without a dev Deployment',
      { alone: true },
      { kind: 'scale', to: 2, removes: undefined },
    ],
    ['is left alone without a noted number', { noted: '' }, { kind: 'cannot' }],
    ['is left alone with a noted number that is none', { noted: '2; rm' }, { kind: 'cannot' }],
    ['is left alone with a number that no workload has', { noted: '999999' }, { kind: 'cannot' }],
    ['is left alone when the workload is gone', { parentObject: undefined }, { kind: 'cannot' }],
    ['is left alone when DevSpace would not name it so', { name: 'postgres' }, { kind: 'cannot' }],
    ['is left alone when the name of the workload is none', { parentName: '../secrets' }, { kind: 'cannot' }],
  ] as const)('%s', (_name, options, decision) => {
    expect(decideReplacement(replacement(options))).toMatchObject(decision);
  });

  it('is described in the order in which it is put back', () => {
    expect(describeReplacement(replacement({}))).toEqual([
      'remove Deployment web-devspace and its pod, whoever may work in it: DevSpace gives no sign of life',
      'scale Deployment web from 0 to 2',
      'remove the annotation devspace.sh/replicas from Deployment web',
    ]);
    expect(describeReplacement(replacement({ noted: '' }))).toEqual([]);
  });
});
