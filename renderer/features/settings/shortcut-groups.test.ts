import { describe, expect, it } from 'vitest';
import type { Shortcut } from '../../app/shortcuts.ts';
import { byCategory, judgeChord, matchingShortcuts } from './shortcut-groups.ts';
import { zoomOptions } from './zoom-options.ts';

const shortcuts: readonly Shortcut[] = [
  { id: 'palette', label: 'Show All Commands', category: 'Window', chord: 'Mod+Shift+P', changed: false },
  { id: 'settings', label: 'Open Settings', category: 'Go', chord: 'Mod+,', changed: false },
  { id: 'dock', label: 'Show or Hide Dock', category: 'Window', changed: false },
];

describe('shortcuts', () => {
  it('stand in groups in the order of the actions', () => {
    expect(byCategory(shortcuts).map(([name, group]) => [name, group.length])).toEqual([
      ['Window', 2],
      ['Go', 1],
    ]);
  });

  it.each([
    ['', 3],
    ['show', 2],
    ['ctrl shift', 1],
    ['go set', 1],
    ['nothing', 0],
  ])('are filtered by %j', (filter, count) => {
    expect(matchingShortcuts(shortcuts, filter, false)).toHaveLength(count);
  });
});

describe('a chord that was pressed', () => {
  it.each([
    [undefined, { kind: 'nothing' }],
    ['A', { kind: 'unusable' }],
    ['Shift+A', { kind: 'unusable' }],
    ['Enter', { kind: 'unusable' }],
    ['F5', { kind: 'free', chord: 'F5' }],
    ['?', { kind: 'free', chord: '?' }],
    ['Ctrl+K', { kind: 'free', chord: 'Mod+K' }],
    ['Ctrl+Shift+P', { kind: 'taken', chord: 'Mod+Shift+P' }],
    ['Ctrl+,', { kind: 'free', chord: 'Mod+,' }],
  ])('%s is judged', (pressed, judged) => {
    expect(judgeChord(pressed, 'settings', shortcuts, false)).toMatchObject(judged);
  });

  it('keeps Ctrl and Cmd apart on a Mac', () => {
    expect(judgeChord('Ctrl+Shift+P', 'dock', shortcuts, true)).toEqual({
      kind: 'free',
      chord: 'Ctrl+Shift+P',
    });
    expect(judgeChord('Shift+Meta+P', 'dock', shortcuts, true)).toMatchObject({ kind: 'taken' });
  });
});

describe('the zoom', () => {
  it('offers the usual steps and the present one', () => {
    expect(zoomOptions(1).map(({ value }) => value)).not.toContain('105');
    expect(zoomOptions(1.2).map(({ value }) => value)).toEqual([
      ...['80', '90', '100', '110', '120', '125', '150', '175', '200'],
    ]);
  });
});
