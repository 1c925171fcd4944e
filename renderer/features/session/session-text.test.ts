import { describe, expect, it } from 'vitest';
import { choicesOf, stopPreview, titleOfHeld } from './session-text.ts';
import { startSteps } from './start-steps.ts';
import { pageSize, treeRows, type TreeFolder } from './tree-rows.ts';

describe('the words of a session', () => {
  it('offer the harmless answers first and only those that there are', () => {
    const labels = choicesOf({ kind: 'brake', choices: ['apply', 'restore', 'leave'] });
    expect(labels.map(({ choice, danger }) => [choice, danger])).toEqual([
      ['restore', false],
      ['leave', false],
      ['apply', true],
    ]);
    expect(choicesOf({ kind: 'consent', choices: ['leave'] }).map(({ choice }) => choice)).toEqual(['leave']);
  });

  it.each([
    ['brake', 1200, '1,200 paths would be deleted'],
    ['consent', 1, '1 path that this machine would run'],
  ] as const)('name held work: %s', (kind, count, expected) => {
    expect(titleOfHeld({ kind, count })).toBe(expected);
  });

  it('say before a stop what it does', () => {
    const change = { restorable: false, note: undefined };
    expect(
      stopPreview({
        pairs: [{ local: '/home/a/shop', remote: '/app' }],
        ports: { 'forward:8080': { local: 8080, remote: 80, addresses: [], state: 'active', message: '' } },
        changes: {
          dev: { ...change, object: 'Deployment/web-dev', what: 'created', from: '', to: 'x', state: 'made' },
          replicas: {
            ...change,
            object: 'Deployment/web',
            what: 'spec.replicas',
            from: '2',
            to: '0',
            state: 'made',
          },
        },
      }),
    ).toEqual([
      'The sync of /home/a/shop with /app ends; no file is removed here.',
      'Port 8080 of this machine is free again.',
      'Deployment/web-dev is removed.',
      'Deployment/web: spec.replicas goes from 0 back to 2.',
    ]);
  });
});

describe('the steps of a start', () => {
  const steps = (
    reached: 'plan' | 'start' | 'wait' | 'sync' | 'ready',
    stage: 'starting' | 'failed' | 'running',
  ) =>
    startSteps({ reached, devName: 'web-dev', pairs: [], summary: { stage, target: 'web' } }).map(
      ({ state }) => state,
    );
  it('follow the session', () => {
    expect(steps('plan', 'starting')).toEqual(['now', 'ahead', 'ahead', 'ahead']);
    expect(steps('wait', 'starting')).toEqual(['done', 'done', 'now', 'ahead']);
    expect(steps('wait', 'failed')).toEqual(['done', 'done', 'failed', 'ahead']);
    expect(steps('ready', 'running')).toEqual(['done', 'done', 'done', 'done']);
  });
});

describe('the rows of a tree', () => {
  const entry = (name: string, kind: 'file' | 'directory') => ({ name, kind, state: 'same' as const });
  it('are those of open folders, also where they are not known yet', () => {
    const folders = new Map<string, TreeFolder>([
      [
        '',
        {
          total: 3,
          pages: new Map([[0, [entry('a', 'directory'), entry('b', 'directory'), entry('c', 'file')]]]),
        },
      ],
      ['a', { total: pageSize + 1, pages: new Map() }],
    ]);
    expect(treeRows(folders, new Set()).length).toBe(3);
    const rows = treeRows(folders, new Set(['a', 'b']));
    expect(rows.length).toBe(pageSize + 4);
    expect(rows[1]).toEqual({ folder: 'a', index: 0, depth: 1 });
    expect(rows.at(-1)).toEqual({ folder: '', index: 2, depth: 0 });
  });
});
