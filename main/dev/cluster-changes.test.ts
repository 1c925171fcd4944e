import { describe, expect, it } from 'vitest';
import type { SessionRecord } from '../session/record.ts';
import { changesAfter, changesOf } from './cluster-changes.ts';

const record = {
  session: '81f0a2',
  target: { kind: 'Deployment', name: 'web' },
  devObject: { name: 'web-dev' },
  container: 'web',
  changes: [{ path: '/spec/replicas', from: 2, to: 0 }],
} as unknown as SessionRecord;

describe('the changes of a session', () => {
  const changes = changesOf(record, {
    leaseName: () => 'slipway-deployment-web',
    whyReplicasStay: () => undefined,
  });
  it('name each object, from what to what', () => {
    expect(
      Object.values(changes).map(({ object, what, from, restorable }) => [object, what, from, restorable]),
    ).toEqual([
      ['Lease/slipway-deployment-web', 'created', '', false],
      ['Deployment/web-dev', 'created', '', false],
      ['Deployment/web', 'spec.replicas', '2', true],
    ]);
  });

  it('say why one cannot be put back alone', () => {
    const why = changesOf(record, { leaseName: () => 'l', whyReplicasStay: () => 'They share a volume.' });
    expect(why['replicas']).toMatchObject({ restorable: false, note: 'They share a volume.' });
    const none = changesOf({ ...record, changes: [] }, { leaseName: () => 'l', whyReplicasStay: () => '' });
    expect(Object.keys(none)).toEqual(['lease', 'dev']);
  });

  it.each([
    [[], ['restored', 'restored', 'restored']],
    [[{ path: 'spec.replicas', was: '2', now: '5', by: 'hpa' }], ['restored', 'restored', 'kept']],
    [[{ path: 'Deployment web-dev', was: 'x', now: 'y', by: undefined }], ['restored', 'kept', 'restored']],
    [
      [{ path: 'Deployment web', was: 'uid', now: 'deleted', by: undefined }],
      ['restored', 'restored', 'kept'],
    ],
  ])('are put back or kept at the end, case %#', (kept, expected) => {
    expect(Object.values(changesAfter(changes, { kept })).map(({ state }) => state)).toEqual(expected);
  });
});
