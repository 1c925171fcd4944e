import { describe, expect, it } from 'vitest';
import type { SessionDetail } from '../../contract/sessions.ts';
import { startForm } from '../../contract/workloads.ts';
import { SlipwayError } from '../base/errors.ts';
import type { SyncState } from '../sync/sync-event.ts';
import { reduceAll, reduceSession, type SessionModel } from './session-model.ts';
import type { SessionNews } from './session-news.ts';

const at = Date.UTC(2026, 0, 2, 12, 3, 0);
const iso = (offset = 0): string => new Date(at + offset).toISOString();

function begin(pairs = 1): SessionModel {
  const form = startForm.parse({
    ...{ cluster: 'c', namespace: 'shop', kind: 'Deployment', name: 'web', folder: '/home/a/shop' },
    ...{ containerPath: '/app', createPath: false, excludes: [], ports: [], env: [] },
  });
  const detail: SessionDetail = {
    summary: {
      ...{
        id: 's',
        cluster: 'c',
        namespace: 'shop',
        target: 'web',
        kind: 'Deployment',
        folder: '/home/a/shop',
      },
      ...{
        stage: 'starting',
        health: 'busy',
        sentence: '',
        startedAt: iso(),
        held: 0,
        conflicts: 0,
        ports: 0,
      },
    },
    ...{ form, phase: 'plan', reached: 'plan', progress: '', devName: 'web-dev', services: {}, ports: {} },
    ...{ held: {}, conflicts: {}, up: { files: 0, bytes: 0 }, down: { files: 0, bytes: 0 } },
    ...{ changes: {}, timeline: {}, commandLine: '' },
    pairs: Array.from({ length: pairs }, () => ({ local: '/home/a/shop', remote: '/app' })),
  };
  const next = { timeline: 0, conflict: 0 };
  return { detail, pairs: detail.pairs.map(() => undefined), inSyncSince: undefined, keep: false, next };
}

const ready: SessionNews = {
  ...{ kind: 'event', at },
  event: {
    ...{ event: 'ready', namespace: 'shop', pod: 'web-dev-1', container: 'web', ports: [], pairs: [] },
  },
};
const state = (value: SyncState, pair = 0, offset = 0): SessionNews => ({
  ...{ kind: 'pair', pair, state: value, files: undefined, at: at + offset },
});
const full = new SlipwayError({ code: 'disk.full', message: 'The container has no space left.', next: '' });
const lost = new SlipwayError({ code: 'helper.lost', message: 'The pod is gone.', next: '' });
const after = (news: readonly SessionNews[], pairs = 1) => reduceAll(begin(pairs), news, at).detail.summary;

describe('the one sentence of a session', () => {
  it.each([
    [[state({ kind: 'in-sync', held: 0 }), ready], 'ok', `In sync since {{${iso()}}}`],
    [[ready], 'busy', 'Looking at both sides'],
    [[ready, state({ kind: 'syncing', remaining: 3 })], 'busy', '3 files behind'],
    [[ready, state({ kind: 'syncing', remaining: 1 })], 'busy', '1 file behind'],
    [[ready, state({ kind: 'scanning' })], 'busy', 'Reading both sides'],
    [[ready, state({ kind: 'paused', reason: full })], 'error', 'Paused: The container has no space left.'],
    [[ready, state({ kind: 'failed', reason: lost })], 'error', 'Sync ended: The pod is gone.'],
    [
      [ready, state({ kind: 'connecting', attempt: 2, reason: lost })],
      'busy',
      'Connecting again: The pod is gone.',
    ],
    [[ready, state({ kind: 'in-sync', held: 2 })], 'attention', `In sync since {{${iso()}}}, except 2 held`],
  ] as const)('case %#: %j', (news, health, sentence) => {
    expect(after(news)).toMatchObject({ health, sentence });
  });

  it('never says in sync while it starts, though an engine does', () => {
    const { sentence } = after([state({ kind: 'in-sync', held: 0 })]);
    expect(sentence).toBe('Starting: looking at both sides');
  });

  it('says in sync only when every pair does, since the last one did', () => {
    const one = [ready, state({ kind: 'in-sync', held: 0 }, 0)];
    expect(after(one, 2).sentence).toBe('Looking at both sides');
    const both = [...one, state({ kind: 'in-sync', held: 0 }, 1, 5000)];
    expect(after(both, 2).sentence).toBe(`In sync since {{${iso(5000)}}}`);
    const again = [
      ...both,
      state({ kind: 'syncing', remaining: 1 }, 0, 6000),
      state({ kind: 'in-sync', held: 0 }, 0, 7000),
    ];
    expect(after(again, 2).sentence).toBe(`In sync since {{${iso(7000)}}}`);
  });

  it('names another service that needs a look', () => {
    const forward: SessionNews = {
      ...{ kind: 'event', at },
      event: { event: 'health', service: 'forward 8080:80', state: 'failed', message: 'nothing listens' },
    };
    expect(after([ready, state({ kind: 'in-sync', held: 0 }), forward])).toMatchObject({
      health: 'attention',
      sentence: `In sync since {{${iso()}}}; Port 8080 → 80 needs a look`,
    });
  });

  it.each([
    [undefined, [], [], 'ended', 'idle', `Ended {{${iso()}}}; everything is as it was`],
    [undefined, ['x'], [], 'ended', 'idle', /1 change of others kept$/],
    [undefined, [], ['Pod a is still ending.'], 'left', 'attention', /; 1 thing left in the cluster$/],
    [full, [], [], 'failed', 'error', `Failed {{${iso()}}}: The container has no space left`],
    [full, [], ['Pod a is still ending.'], 'left', 'attention', /^Ended /],
  ] as const)('says how it ended, case %#', (error, kept, remaining, stage, health, sentence) => {
    const stopped: SessionNews = {
      ...{ kind: 'event', at },
      event: { event: 'stopped', restored: [], kept, remaining },
    };
    const summary = after([
      ...([ready, { kind: 'stopping', keep: false, at }, stopped] as const),
      { kind: 'over', at, ...(error === undefined ? {} : { error: error.toValue() }) },
    ]);
    expect(summary).toMatchObject({ stage, health });
    if (sentence instanceof RegExp) expect(summary.sentence).toMatch(sentence);
    else expect(summary.sentence).toBe(sentence);
  });

  it('keeps the time of the end', () => {
    const over = reduceSession(begin(), { kind: 'over', at });
    const later = reduceSession(over, { kind: 'changes', changes: {}, at: at + 60_000 });
    expect(later.detail.summary.sentence).toBe(over.detail.summary.sentence);
  });
});

describe('what a session has done', () => {
  it('is a timeline of turns, not of edits', () => {
    const edits = Array.from({ length: 50 }, (_, index) => [
      state({ kind: 'syncing', remaining: 1 }, 0, index),
      state({ kind: 'in-sync', held: 0 }, 0, index),
    ]).flat();
    const model = reduceAll(
      begin(),
      [
        ...[state({ kind: 'comparing' }), state({ kind: 'in-sync', held: 0 }), ready, ...edits],
        state({ kind: 'connecting', attempt: 1, reason: lost }),
        state({ kind: 'connecting', attempt: 2, reason: lost }),
        state({ kind: 'in-sync', held: 0 }),
      ],
      at,
    );
    expect(Object.values(model.detail.timeline).map(({ level, text }) => `${level} ${text}`)).toEqual([
      'info Sync shop ↔ /app: Comparing.',
      'ok Sync shop ↔ /app: In sync.',
      'ok Ready: both sides are alike in web-dev-1.',
      'warn Sync shop ↔ /app: Connecting, attempt 1: The pod is gone.',
      'ok Sync shop ↔ /app: In sync.',
    ]);
  });

  it('is bounded, and changes by one entry at a time', () => {
    let model = begin();
    for (let index = 0; index < 700; index++) {
      model = reduceSession(model, {
        ...{ kind: 'event', at },
        event: { event: 'notice', message: `Number ${index}` },
      });
    }
    const keys = Object.keys(model.detail.timeline);
    expect([keys.length, keys[0], keys.at(-1)]).toEqual([500, '200', '699']);
    const next = reduceSession(model, { kind: 'event', at, event: { event: 'notice', message: 'x' } });
    expect(next.detail.timeline['300']).toBe(model.detail.timeline['300']);
    expect(next.detail.services).toBe(model.detail.services);
  });

  it('keeps what did not change the same object', () => {
    const model = reduceAll(begin(), [ready, state({ kind: 'in-sync', held: 0 })], at);
    const same = reduceSession(model, { kind: 'holds', held: model.detail.held, total: 0, at });
    expect(same.detail).toBe(model.detail);
  });
});
