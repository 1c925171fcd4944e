import { describe, expect, it } from 'vitest';
import { rankChoices, remembered, scoreText } from './palette-score.ts';

const order = (query: string, labels: readonly string[], recent: readonly string[] = []) =>
  rankChoices(
    labels.map((label) => ({ id: label, label })),
    query,
    recent,
  ).map(({ item }) => item.label);

describe('what answers a query', () => {
  it.each([
    ['rp', 'Restart Process', [0, 8]],
    ['proc', 'Restart Process', [8, 9, 10, 11]],
    ['WEB', 'web-dev', [0, 1, 2]],
    ['wd', 'web-dev', [0, 4]],
    ['gs', 'goSessions', [0, 2]],
    ['process restart', 'Restart Process', [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14]],
    ['', 'Anything', []],
  ])('%s in %s', (query, text, positions) => {
    expect(scoreText(query, text)?.positions).toEqual(positions);
  });

  it.each([
    ['px', 'Restart Process'],
    ['sssss', 'Sessions x'],
    ['web dev x', 'web-dev'],
  ])('%s is not in %s', (query, text) => {
    expect(scoreText(query, text)).toBeUndefined();
  });
});

describe('the order', () => {
  it.each([
    ['rp', ['Group Rapport', 'Restart Process']],
    ['web', ['cobweb', 'web']],
    ['web', ['web-development-service', 'web']],
    ['set', ['Reset Zoom', 'Open Settings']],
    ['dock', ['Do Clock', 'Show or Hide Dock']],
  ])('%s: the better one first', (query, [worse, better]) => {
    expect(order(query, [worse ?? '', better ?? ''])).toEqual([better, worse]);
  });

  it('is that of the list without a query, the recent ones first', () => {
    expect(order('', ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(order('', ['a', 'b', 'c'], ['c', 'b'])).toEqual(['c', 'b', 'a']);
  });

  it('puts a recent one before its equals, not before better ones', () => {
    expect(order('open', ['Open A', 'Open B'], ['Open B'])).toEqual(['Open B', 'Open A']);
    expect(order('zoom', ['Fuzzy Room', 'Zoom In'], ['Fuzzy Room'])).toEqual(['Zoom In', 'Fuzzy Room']);
  });

  it('finds by the detail as well, below the names', () => {
    const items = [
      { id: '1', label: 'orders', detail: 'Deployment in shop' },
      { id: '2', label: 'shop', detail: 'Namespace' },
    ];
    expect(rankChoices(items, 'shop', []).map(({ item }) => item.id)).toEqual(['2', '1']);
  });
});

it('stays quick with thousands of names', () => {
  const names = Array.from({ length: 5000 }, (_, index) => `payments-reconciliation-worker-${index}`);
  const start = performance.now();
  expect(order('parewo4999', names)[0]).toBe('payments-reconciliation-worker-4999');
  expect(performance.now() - start).toBeLessThan(1000);
});

it('remembers each choice once, the latest first', () => {
  expect(remembered(['a', 'b'], 'b')).toEqual(['b', 'a']);
  expect(
    remembered(
      Array.from({ length: 30 }, (_, index) => `${index}`),
      'x',
    ),
  ).toHaveLength(20);
});
