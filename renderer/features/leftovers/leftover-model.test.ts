import { describe, expect, it } from 'vitest';
import {
  actionable,
  outcomeOf,
  reasonAgainst,
  resultTitle,
  splitRows,
  stateText,
  stillThere,
  whose,
  type LeftoverRow,
} from './leftover-model.ts';

function row(key: string, part: Partial<LeftoverRow> = {}): LeftoverRow {
  return {
    key,
    namespace: 'shop',
    target: 'Deployment/web',
    tool: 'Slipway',
    user: 'ben',
    machine: 'laptop',
    since: '',
    mine: false,
    state: 'dead',
    can: ['restore', 'remove'],
    ...part,
  };
}

describe('leftovers on the page', () => {
  it('are apart from what runs elsewhere', () => {
    const { left, running } = splitRows([row('a'), row('b', { state: 'live', can: [] })]);
    expect([left.map(({ key }) => key), running.map(({ key }) => key)]).toEqual([['a'], ['b']]);
  });

  it('stay chosen only while they are there', () => {
    expect(stillThere(new Set(['a', 'gone']), [row('a'), row('b')]).map(({ key }) => key)).toEqual(['a']);
  });

  it.each([
    ['restore', [row('a')], false, undefined],
    ['restore', [row('a')], true, 'read-only'],
    ['restore', [], false, 'Choose'],
    ['remove', [row('a', { can: ['restore'], cannot: 'Because.' })], false, 'Because.'],
    ['remove', [row('a', { can: ['restore'] }), row('b')], false, undefined],
    ['remove', Array.from({ length: 201 }, (_, index) => row(String(index))), false, 'At most 200'],
  ] as const)('can or cannot be acted on: %s', (action, chosen, readOnly, reason) => {
    const said = reasonAgainst(action, chosen, readOnly);
    if (reason === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(reason);
  });

  it('are parted by what is possible for each', () => {
    const { able, unable } = actionable('remove', [row('a'), row('b', { can: ['restore'] })]);
    expect([able.map(({ key }) => key), unable.map(({ key }) => key)]).toEqual([['a'], ['b']]);
  });

  it('say whose they are and how they are', () => {
    expect(whose(row('a', { user: '' }))).toBe('Not written down');
    expect(whose(row('a', { mine: true }))).toBe('You');
    expect(stateText(row('a', { state: 'no-lease', tool: 'DevSpace' })).word).toBe('No sign of life');
    expect(stateText(row('a', { state: 'no-lease' })).word).toBe('Lease is gone');
  });

  it('are summed up afterwards', () => {
    const result = { key: 'a', done: [], kept: [], remaining: [] };
    const partly = { ...result, remaining: ['Pod web is still ending.'] };
    expect(outcomeOf(partly)).toBe('partly');
    expect(resultTitle('restore', [result])).toBe('Restored 1 leftover');
    expect(resultTitle('remove', [result, partly])).toBe('Removed 1 of 2 leftovers');
  });
});
