import { describe, expect, it } from 'vitest';
import type { Change } from './change.ts';
import { fileOf } from './entry.fixture.ts';
import { HoldRegistry } from './hold-registry.ts';
import { outdatedHolds } from './outdated-holds.ts';
import type { Reconciliation } from './reconcile.ts';

const deletion = (path: string): Change => ({
  kind: 'delete',
  path,
  expected: fileOf('1'),
  keep: 'side',
  why: 'propagate',
});
const chmod = (path: string): Change => ({ ...deletion(path), kind: 'chmod', mode: 0o755 });
const planOf = (more: Partial<Reconciliation>) => ({
  toLocal: [],
  toRemote: [],
  consent: [],
  conflicts: [],
  waiting: [],
  ...more,
});

describe('what is held', () => {
  function holding(kind: 'brake' | 'consent' | 'conflict' | 'first-sync'): HoldRegistry {
    const holds = new HoldRegistry();
    holds.add(kind, kind === 'conflict' ? undefined : 'remote', '', ['a', 'b'], ['apply']);
    return holds;
  }

  it('stays held as long as the same would happen', () => {
    expect(outdatedHolds(['a'], planOf({ toRemote: [deletion('a')] }), holding('brake'))).toEqual([]);
    expect(outdatedHolds(['a'], planOf({ toRemote: [chmod('a')] }), holding('first-sync'))).toEqual([]);
    expect(
      outdatedHolds(['a'], planOf({ consent: [{ path: 'a', message: '' }] }), holding('consent')),
    ).toEqual([]);
  });

  it('stays held while nothing can be decided, and where nobody looked', () => {
    expect(outdatedHolds(['a', 'c'], planOf({ waiting: ['a'] }), holding('brake'))).toEqual([]);
  });

  it('is let go when nothing would happen, something else, or it on the other side', () => {
    for (const kind of ['brake', 'consent', 'conflict', 'first-sync'] as const)
      expect(outdatedHolds(['a'], planOf({}), holding(kind))).toEqual(['a']);
    expect(outdatedHolds(['a'], planOf({ toRemote: [chmod('a')] }), holding('brake'))).toEqual(['a']);
    expect(outdatedHolds(['a'], planOf({ toLocal: [deletion('a')] }), holding('brake'))).toEqual(['a']);
  });

  it('shrinks by what is let go until nothing is left', () => {
    const holds = holding('brake');
    expect(holds.drop(['a', 'c'])).toEqual([]);
    expect(holds.all.map(({ paths }) => paths)).toEqual([['b']]);
    expect([holds.of('a'), holds.of('b')?.kind]).toEqual([undefined, 'brake']);
    expect(holds.drop(['b']).map(({ id }) => id)).toEqual(['brake-1']);
    expect(holds.size).toBe(0);
  });
});
