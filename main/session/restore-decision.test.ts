import { describe, expect, it } from 'vitest';
import type { V1Deployment } from '@kubernetes/client-node';
import {
  ownershipDuringSession,
  ownershipGivenBack,
  replicasOwners,
  type ManagedFieldsEntry,
} from './field-ownership.ts';
import type { FormerOwner, SessionRecord } from './record.ts';
import { changesMeanwhile, decideReplicas, missingReady, type ReplicasDecision } from './restore-decision.ts';
import { containerImages, specHash } from './spec-hash.ts';

const replicas = { 'f:spec': { 'f:replicas': {} } };
const ours: ManagedFieldsEntry = {
  manager: 'slipway',
  operation: 'Update',
  apiVersion: 'apps/v1',
  subresource: 'scale',
  time: '2026-01-05T10:00:00Z',
  fieldsV1: replicas,
};
function theirs(manager: string, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  return {
    manager,
    operation: 'Update',
    apiVersion: 'apps/v1',
    time: '2026-01-05T11:00:00Z',
    fieldsV1: replicas,
    ...more,
  };
}

function deployment(
  count: number | undefined,
  managedFields: readonly ManagedFieldsEntry[],
  image = 'shop:1',
): V1Deployment {
  return {
    metadata: { name: 'web', uid: 'u1', managedFields: managedFields as never },
    spec: {
      ...(count === undefined ? {} : { replicas: count }),
      selector: {},
      template: { spec: { containers: [{ name: 'web', image }] } },
    },
  };
}

const record: SessionRecord = {
  version: 1,
  session: 'abc',
  project: 'shop',
  user: 'anna',
  machine: 'laptop',
  createdAt: '2026-01-05T10:00:00Z',
  namespace: 't',
  target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1' },
  container: 'web',
  changes: [{ path: '/spec/replicas', from: 3, to: 0 }],
  readyBefore: 3,
  formerOwners: [],
  devObject: { name: 'web-dev' },
  before: { specHash: specHash(deployment(3, [])), images: containerImages(deployment(3, [])) },
  exclusive: false,
};

describe('restoring replicas', () => {
  const keep = (now: string, by: string | undefined): ReplicasDecision => ({
    kind: 'keep',
    change: { path: 'spec.replicas', was: '3', now, by },
  });

  it.each<[string, V1Deployment | undefined, ReplicasDecision]>([
    ['sets what is still ours', deployment(0, [ours]), { kind: 'restore', to: 3 }],
    ['sets what nobody is known to own', deployment(0, []), { kind: 'restore', to: 3 }],
    ['has nothing to do when it was never changed', deployment(3, [theirs('helm')]), { kind: 'as-before' }],
    ['has nothing to do when it is done', deployment(3, [ours]), { kind: 'as-before' }],
    ['keeps another number', deployment(5, [theirs('kubectl')]), keep('5', 'kubectl')],
    ['keeps another number of an unknown writer', deployment(5, []), keep('5', undefined)],
    ['keeps a default that somebody went back to', deployment(undefined, []), keep('1', undefined)],
    [
      'keeps a 0 that somebody else wrote meanwhile',
      deployment(0, [theirs('kubectl')]),
      keep('0', 'kubectl'),
    ],
    [
      'keeps a 0 that somebody else wrote as well',
      deployment(0, [ours, theirs('argocd', { operation: 'Apply' })]),
      keep('0', 'argocd'),
    ],
    ['leaves a deleted workload', undefined, { kind: 'target-gone', recreated: false }],
    [
      'leaves a recreated workload',
      { ...deployment(0, [ours]), metadata: { uid: 'u2' } },
      { kind: 'target-gone', recreated: true },
    ],
  ])('%s', (_name, target, expected) => {
    expect(decideReplicas(record, target)).toEqual(expected);
  });

  it('takes a former owner, who has the field again during a session, for no change', () => {
    const formerOwners = [{ manager: 'helm', operation: 'Update', apiVersion: 'apps/v1' }];
    const withHelm = { ...record, formerOwners };
    expect(decideReplicas(withHelm, deployment(0, [theirs('helm')]))).toEqual({ kind: 'restore', to: 3 });
    expect(decideReplicas(withHelm, deployment(5, [theirs('helm')]))).toEqual(keep('5', 'helm'));
  });

  it('has nothing to do for a workload that was at 0 before', () => {
    expect(decideReplicas({ ...record, changes: [] }, deployment(0, [theirs('helm')]))).toEqual({
      kind: 'as-before',
    });
  });

  it.each<[string, Partial<V1Deployment>, number]>([
    [
      'before the controller saw it',
      { metadata: { generation: 3 }, status: { observedGeneration: 2, readyReplicas: 3 } },
      3,
    ],
    [
      'while pods come',
      { metadata: { generation: 3 }, status: { observedGeneration: 3, readyReplicas: 1 } },
      2,
    ],
    [
      'when all are there',
      { metadata: { generation: 3 }, status: { observedGeneration: 3, readyReplicas: 3 } },
      0,
    ],
  ])('counts the pods that are missing %s', (_name, state, missing) => {
    expect(missingReady(record, { ...deployment(3, []), ...state })).toBe(missing);
  });

  it('waits for no more pods than were ready before', () => {
    expect(missingReady({ ...record, readyBefore: 0 }, deployment(3, []))).toBe(0);
  });
});

describe('what others changed', () => {
  it('is nothing when only replicas differ', () => {
    expect(changesMeanwhile(record, deployment(0, [ours]))).toEqual([]);
  });

  it('is told by container and manager', () => {
    const setImage = theirs('kubectl-set', { fieldsV1: { 'f:spec': { 'f:template': {} } } });
    expect(changesMeanwhile(record, deployment(0, [ours, setImage], 'shop:2'))).toEqual([
      { path: 'containers[web].image', was: 'shop:1', now: 'shop:2', by: 'kubectl-set' },
    ]);
  });
});

describe('ownership', () => {
  const helm = theirs('helm', { fieldsV1: { 'f:spec': { 'f:template': {} } } });
  const owner = { manager: 'helm', operation: 'Update', apiVersion: 'apps/v1' };
  const helmWithReplicas = { ...helm, fieldsV1: { 'f:spec': { 'f:template': {}, 'f:replicas': {} } } };
  const scaler = { ...owner, manager: 'kubectl', subresource: 'scale', time: '2026-01-01T00:00:00Z' };
  const scalerEntry = { ...scaler, fieldsType: 'FieldsV1', fieldsV1: replicas };
  const argo = theirs('argocd');

  it.each<[string, ManagedFieldsEntry[], FormerOwner[], ManagedFieldsEntry[] | undefined]>([
    ['goes from us to the former owner', [helm, ours], [owner], [helmWithReplicas]],
    ['goes from nobody to the former owner', [helm], [owner], [helmWithReplicas]],
    ['gets its entry back when the field was all it had', [helm], [scaler], [helm, scalerEntry]],
    ['stays with who took it meanwhile', [helm, argo, ours], [owner], [helm, argo]],
    ['ends for us where nobody had it', [helm, ours], [], [helm]],
    ['stays as it is when it is as before', [helmWithReplicas], [owner], undefined],
    ['stays as it is when nobody had it', [helm], [], undefined],
    ['stays as it is when only others have it', [argo], [owner], undefined],
    [
      'of other fields stays ours',
      [{ ...ours, fieldsV1: { 'f:metadata': {}, ...replicas } }],
      [],
      [{ ...ours, fieldsV1: { 'f:metadata': {} } }],
    ],
  ])('%s after a session', (_name, entries, former, expected) => {
    expect(ownershipGivenBack(entries, former)).toEqual(expected);
  });

  it.each<[string, ManagedFieldsEntry[], FormerOwner[], ManagedFieldsEntry[] | undefined]>([
    ['goes back to the former owner at once', [helm], [owner], [helmWithReplicas]],
    ['is ours where nobody had it', [helm], [], [helm, { ...ours, time: undefined, fieldsType: 'FieldsV1' }]],
    ['stays with who took it', [helm, argo], [], undefined],
  ])('%s while a session runs', (_name, entries, former, expected) => {
    expect(ownershipDuringSession(entries, former)).toEqual(expected);
  });

  it('names owners by what the server knows of them, the latest first', () => {
    expect(replicasOwners([ours, helm, theirs('kubectl')]).map(({ manager }) => manager)).toEqual([
      'kubectl',
      'slipway',
    ]);
  });
});
