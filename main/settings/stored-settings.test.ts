import { describe, expect, it } from 'vitest';
import { parseStoredSettings } from './stored-settings.ts';

describe('the guards of a damaged settings file', () => {
  it.each([
    ['{"zoom": "big", "clusters": {"a": {"guard": "confirm"}}}', true, { a: { guard: 'confirm' } }],
    ['{"clusters": {"a": {"guard": "confirm", "color": "mauve"}}}', true, { a: { guard: 'confirm' } }],
    ['{"clusters": {"a": {"guard": "confirm", "newer": 1}}}', true, { a: { guard: 'confirm' } }],
    ['{"clusters": {"a": {"guard": "none-at-all"}}}', false, {}],
    ['{"clusters": {"a": 1, "b": {"guard": "confirm"}}}', false, { b: { guard: 'confirm' } }],
    ['{"clusters": []}', false, {}],
    ['{"clusters": {"a": {"guard": "read-only"}}', false, {}],
    ['\u0000', false, {}],
  ])('%s: known %s', (text, known, clusters) => {
    const stored = parseStoredSettings(text);
    expect(stored.damage).not.toEqual([]);
    expect([stored.guardsKnown, stored.value.clusters]).toEqual([known, clusters]);
  });
});
