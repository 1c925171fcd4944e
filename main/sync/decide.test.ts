import { describe, expect, it } from 'vitest';
import type { PathSituation, Verdict } from './decide.ts';
import { decidePath } from './decide.ts';
import { entryOf } from './entry.fixture.ts';
import type { Strategy } from './strategy.ts';
import { strategies } from './strategy.ts';

/** `up` the container takes the laptop's state, `down` the other way round, `why` behind a slash where it matters. */
function short(verdict: Verdict): string {
  if (verdict.kind === 'take') {
    return (
      (verdict.from === 'local' ? 'up' : 'down') + (verdict.why === 'propagate' ? '' : `/${verdict.why}`)
    );
  }
  if (verdict.kind === 'conflict') return `conflict/${verdict.reason}`;
  if (verdict.kind === 'need-digest') return `hash/${verdict.sides.join('+')}`;
  return verdict.kind;
}

function decide(codes: string, more: Partial<PathSituation> = {}): string {
  const [ancestor = '-', local = '-', remote = '-', seed = '-'] = codes.split(' ');
  return short(
    decidePath({
      ancestor: entryOf(ancestor),
      local: entryOf(local),
      remote: entryOf(remote),
      seed: entryOf(seed),
      strategy: 'preferLocal',
      initial: false,
      rootChanged: false,
      modeMask: 0o755,
      clockOffsetMs: 0,
      uploadBlocked: false,
      downloadBlocked: false,
      ...more,
    }),
  );
}

type Rows = Readonly<Record<string, string>>;

function table(name: string, rows: Rows, more: Partial<PathSituation> = {}): void {
  describe(name, () => {
    for (const [codes, expected] of Object.entries(rows)) {
      it(`${codes} gives ${expected}`, () => expect(decide(codes, more)).toBe(expected));
    }
  });
}

// Columns: ancestor, local, remote.
const oneSideChanged: Rows = {
  '- - -': 'none',
  '1 1 1': 'none',
  'd d d': 'none',
  's s s': 'none',
  '1 2 1': 'up',
  '1 1 2': 'down',
  '1 - 1': 'up',
  '1 1 -': 'down',
  '- 1 -': 'up',
  '- - 1': 'down',
  '- d -': 'up',
  '- - d': 'down',
  '- s -': 'up',
  '- - s': 'down',
  's t s': 'up',
  's s t': 'down',
  's - s': 'up',
  's s -': 'down',
  'd - d': 'up',
  'd d -': 'down',
  '1 d 1': 'up',
  '1 1 d': 'down',
  'd 1 d': 'up',
  'd d 1': 'down',
  '1 s 1': 'up',
  's s 1': 'down',
  '1 1x 1': 'up',
  '1 1 1x': 'down',
  '1x 1 1x': 'up',
  'd p d': 'up',
  'd d p': 'down',
};
const sameOnBothSides: Rows = {
  '- 1 1': 'record',
  '- d d': 'record',
  '- s s': 'record',
  '1 - -': 'record',
  'd - -': 'record',
  '1 2 2': 'record',
  '1 d d': 'record',
  'd 1 1': 'record',
  's 1 1': 'record',
  '1 1x 1x': 'record',
  'd p p': 'record',
};
const editBeatsDelete: Rows = {
  '1 - 2': 'down',
  '1 2 -': 'up',
  's - t': 'down',
  's t -': 'up',
  '1 - d': 'down',
  'd 1 -': 'up',
  'd - p': 'up',
  'd p -': 'down',
};
const contentBeatsMode: Rows = { '1 1x 2': 'down', '1 2 1x': 'up', '1x 1 2x': 'down' };

for (const strategy of strategies) {
  table(`one side changed, ${strategy}`, oneSideChanged, { strategy });
  table(`both sides alike, ${strategy}`, sameOnBothSides, { strategy });
  table(`an edit beats a delete, ${strategy}`, { ...editBeatsDelete, ...contentBeatsMode }, { strategy });
}

const bothChanged = ['1 2 3', '- 1 2', 's t 1', '1 s 2', '- d 1', '1 d 2', '- s t'];
const winners: Readonly<Record<Strategy, string>> = {
  mirrorLocal: 'up/settled',
  preferLocal: 'up/settled',
  mirrorRemote: 'down/settled',
  preferRemote: 'down/settled',
  preferNewest: 'conflict/clock-unreliable',
  keepAll: 'conflict',
  disabled: 'conflict',
};
describe('both sides changed', () => {
  for (const strategy of strategies) {
    for (const codes of bothChanged) {
      it(`${codes} under ${strategy} gives ${winners[strategy]}`, () =>
        expect(decide(codes, { strategy })).toContain(winners[strategy]));
    }
  }
});

table(
  'newest wins',
  { '1 2+ 3': 'up/settled', '1 2 3+': 'down/settled', '1 2 3': 'conflict/clock-unreliable' },
  { strategy: 'preferNewest' },
);
table(
  'a skewed clock decides nothing',
  { '1 2+ 3': 'conflict/clock-unreliable', '1 2 3+': 'conflict/clock-unreliable' },
  { strategy: 'preferNewest', clockOffsetMs: 2001 },
);
table(
  'nor does a clock behind',
  { '1 2+ 3': 'conflict/clock-unreliable' },
  { strategy: 'preferNewest', clockOffsetMs: -86_400_000 },
);
table(
  'nor an unmeasured one',
  { '1 2+ 3': 'conflict/clock-unreliable' },
  { strategy: 'preferNewest', clockOffsetMs: undefined },
);
table(
  'a time in the future decides nothing',
  { '1 2+ 3': 'conflict/clock-unreliable', '1 2 3+': 'conflict/clock-unreliable' },
  { strategy: 'preferNewest', nowMs: 6999 },
);
table(
  'a time that is nearly in the past does',
  { '1 2+ 3': 'up/settled', '1 2 3+': 'down/settled' },
  { strategy: 'preferNewest', nowMs: 7000 },
);
table(
  'a small offset is taken into account',
  { '1 2 3': 'up/settled' },
  { strategy: 'preferNewest', clockOffsetMs: 500 },
);

// First sync: only the ancestor column is empty everywhere.
const firstSync: Readonly<Record<Strategy, Rows>> = {
  preferLocal: {
    '- 1 -': 'up',
    '- - 1': 'down',
    '- 1 1': 'record',
    '- 1 2': 'up/first-sync',
    '- d p': 'up',
    '- 1 d': 'up/first-sync',
  },
  preferRemote: {
    '- 1 -': 'up',
    '- - 1': 'down',
    '- 1 1': 'record',
    '- 1 2': 'down/first-sync',
    '- d p': 'down',
    '- 1 d': 'down/first-sync',
  },
  mirrorLocal: {
    '- 1 -': 'up',
    '- - 1': 'up/first-sync',
    '- 1 1': 'record',
    '- 1 2': 'up/first-sync',
    '- - d': 'up/first-sync',
  },
  mirrorRemote: {
    '- 1 -': 'down/first-sync',
    '- - 1': 'down',
    '- 1 1': 'record',
    '- 1 2': 'down/first-sync',
    '- d -': 'down/first-sync',
  },
  preferNewest: {
    '- 1 -': 'up',
    '- - 1': 'down',
    '- 1+ 2': 'up/first-sync',
    '- 1 2+': 'down/first-sync',
    '- d p': 'leave',
  },
  keepAll: {
    '- 1 -': 'up',
    '- - 1': 'down',
    '- 1 1': 'record',
    '- 1 2': 'conflict/both-changed',
    '- d 1': 'conflict/kinds-differ',
  },
  disabled: { '- 1 -': 'leave', '- - 1': 'leave', '- 1 1': 'record', '- 1 2': 'conflict/both-changed' },
};
for (const strategy of strategies)
  table(`first sync, ${strategy}`, firstSync[strategy], { strategy, initial: true });

// A fourth column: what the container's root held when it was first seen.
const anotherRoot: Rows = {
  '1 1 - -': 'up/restored-root',
  '1 2 - -': 'up/restored-root',
  '1 1 0 0': 'up/restored-root',
  '1 2 0 0': 'up/restored-root',
  '1 1 1 0': 'none',
  '1 2 1 0': 'up/restored-root',
  '1 - 1 0': 'up/restored-root',
  '1 - 0 0': 'up/restored-root',
  '- - 0 0': 'up/restored-root',
  '- 1 0 0': 'up/restored-root',
  '- 1 - -': 'up',
  '- - 5 -': 'down',
  '1 - - 0': 'record',
  '1 - 5 0': 'down',
  '1 2 2 0': 'record',
  'd d - -': 'up/restored-root',
};
table('the root is another one', anotherRoot, { rootChanged: true });
table('the root is another one, preferRemote', anotherRoot, { rootChanged: true, strategy: 'preferRemote' });
table(
  'the root is another one and holds something new',
  { '1 1 5 0': 'up/settled', '1 2 5 0': 'up/settled' },
  { rootChanged: true },
);
table(
  'something new on it and preferRemote',
  { '1 1 5 0': 'down/settled', '1 2 5 -': 'down/settled' },
  { rootChanged: true, strategy: 'preferRemote' },
);
table(
  'the image holds a path that never may come down',
  { '- - 0 0': 'leave' },
  { rootChanged: true, downloadBlocked: true },
);

table(
  'upload excluded',
  { '1 2 1': 'leave', '1 - 1': 'leave', '- 1 -': 'leave', '1 1 2': 'down', '1 - 2': 'down', '- - 1': 'down' },
  { uploadBlocked: true },
);
table(
  'download excluded',
  { '1 1 2': 'leave', '1 1 -': 'leave', '- - 1': 'leave', '1 2 1': 'up', '- 1 -': 'up' },
  { downloadBlocked: true },
);
table(
  'first mirror of an upload-excluded path',
  { '- - 1': 'down/first-sync', '- 1 2': 'leave' },
  { uploadBlocked: true, initial: true, strategy: 'mirrorLocal' },
);
table(
  'first mirror of a download-excluded path',
  { '- - 1': 'up/first-sync' },
  { downloadBlocked: true, initial: true, strategy: 'mirrorLocal' },
);

table('digests that are needed', {
  '1 1? 1': 'hash/local',
  '1 1 1?': 'hash/remote',
  '- 1? 2?': 'hash/local+remote',
  '- 1? -': 'up',
  '1 - 1?': 'hash/remote',
  '1 1? -': 'hash/local',
});
table('what is never synced', {
  '- o -': 'leave',
  '- - o': 'leave',
  '1 o 1': 'leave',
  '1 1 o': 'leave',
  '- o o': 'leave',
});

describe('a remembered difference', () => {
  const difference = { local: entryOf('1'), remote: entryOf('2') };
  it('stays while neither side changes', () => expect(decide('- 1 2', { difference })).toBe('leave'));
  it('ends with a change on one side', () => expect(decide('- 3 2', { difference })).toBe('up/settled'));
  it('ends when both become alike', () => expect(decide('- 2 2', { difference })).toBe('record'));
});
