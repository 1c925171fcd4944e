import { describe, expect, it } from 'vitest';
import type { V1Deployment } from '@kubernetes/client-node';
import { ownershipGivenBack, replicasOwners, type ManagedFieldsEntry } from './field-ownership.ts';
import type { SessionRecord } from './record.ts';
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

describe('giving ownership back', () => {
  const helm = theirs('helm', { fieldsV1: { 'f:spec': { 'f:template': {} } } });
  const owner = { manager: 'helm', operation: 'Update', apiVersion: 'apps/v1' };

  it('adds the field to the entry of the former owner', () => {
    expect(ownershipGivenBack([helm, ours], [owner], true)).toEqual([
      { ...helm, fieldsV1: { 'f:spec': { 'f:template': {}, 'f:replicas': {} } } },
    ]);
  });

  it('writes the entry again when the field was all it had', () => {
    const scaler = { ...owner, manager: 'kubectl', subresource: 'scale', time: '2026-01-01T00:00:00Z' };
    expect(ownershipGivenBack([helm, ours], [scaler], true)).toEqual([
      helm,
      { ...scaler, fieldsType: 'FieldsV1', fieldsV1: replicas },
    ]);
  });

  it("gives nothing back when the value is somebody else's by now", () => {
    expect(ownershipGivenBack([helm, ours], [owner], false)).toEqual([helm]);
    const argo = theirs('argocd');
    expect(ownershipGivenBack([helm, argo, ours], [owner], true)).toEqual([helm, argo]);
  });

  it('changes nothing when we own nothing', () => {
    expect(ownershipGivenBack([helm], [owner], true)).toBeUndefined();
  });

  it('keeps what else we own', () => {
    const more = { ...ours, fieldsV1: { 'f:metadata': {}, ...replicas } };
    expect(ownershipGivenBack([more], [], true)).toEqual([{ ...ours, fieldsV1: { 'f:metadata': {} } }]);
  });

  it('names owners by what the server knows of them, the latest first', () => {
    expect(replicasOwners([ours, helm, theirs('kubectl')]).map(({ manager }) => manager)).toEqual([
      'kubectl',
      'slipway',
    ]);
  });
});
