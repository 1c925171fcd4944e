import { describe, expect, it } from 'vitest';
import { parseRecord, serializeRecord, type SessionRecord } from './record.ts';

const record: SessionRecord = {
  version: 1,
  session: 'a1b2c3',
  project: 'shop',
  user: 'anna',
  machine: 'laptop',
  createdAt: '2026-01-05T10:00:00.000Z',
  namespace: 't',
  target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u-1' },
  container: 'web',
  changes: [{ path: '/spec/replicas', from: 3, to: 0 }],
  readyBefore: 3,
  formerOwners: [{ manager: 'helm', operation: 'Update', apiVersion: 'apps/v1' }],
  devObject: { name: 'web-dev', uid: 'u-2' },
  before: { specHash: 'abc', images: { web: 'shop:1' } },
  exclusive: false,
};

describe("a session's record", () => {
  it('comes back as it was written', () => {
    expect(parseRecord(serializeRecord(record))).toEqual(record);
  });

  it.each<[string, unknown]>([
    ['is no JSON', '{'],
    ['is no object', 'null'],
    ['is of another version', { ...record, version: 2 }],
    ['changes another field', { ...record, changes: [{ path: '/spec/template', from: 1, to: 0 }] }],
    ['scales to a fraction', { ...record, changes: [{ path: '/spec/replicas', from: 0.5, to: 0 }] }],
    ['scales beyond reason', { ...record, changes: [{ path: '/spec/replicas', from: 1e9, to: 0 }] }],
    ['changes too much', { ...record, changes: Array.from({ length: 9 }, () => record.changes[0]) }],
    ['speaks of another kind', { ...record, target: { ...record.target, kind: 'Secret' } }],
    ['has a session that is a path', { ...record, session: '../../etc' }],
    ['has a text without end', { ...record, user: 'x'.repeat(2000) }],
    ['lacks its target', { ...record, target: undefined }],
  ])('is none when it %s', (_what, content) => {
    expect(parseRecord(typeof content === 'string' ? content : JSON.stringify(content))).toBeUndefined();
  });

  it('of more bytes than an annotation holds is none', () => {
    expect(parseRecord(`${' '.repeat(300 * 1024)}${serializeRecord(record)}`)).toBeUndefined();
  });
});
