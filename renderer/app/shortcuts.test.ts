import { describe, expect, it } from 'vitest';
import { frameShortcuts } from './frame-actions.ts';
import { chordTable, shortcutsOf } from './shortcuts.ts';

const actions = [
  { id: 'a', label: 'Open A', category: 'Go', chord: 'Mod+1' },
  { id: 'b', label: 'Open B', category: 'Go', chord: 'Mod+2' },
  { id: 'c', label: 'Open C', category: 'Go' },
];

describe('shortcuts', () => {
  it('are the defaults without a word of the settings', () => {
    const shortcuts = shortcutsOf(actions, {}, false);
    expect(shortcuts.map(({ chord, changed, problem }) => [chord, changed, problem])).toEqual([
      ['Mod+1', false, undefined],
      ['Mod+2', false, undefined],
      [undefined, false, undefined],
    ]);
  });

  it('are what the settings say, and none for an empty text', () => {
    const shortcuts = shortcutsOf(actions, { a: '', c: 'Alt+C' }, false);
    expect(shortcuts.map(({ chord, changed }) => [chord, changed])).toEqual([
      [undefined, true],
      ['Mod+2', false],
      ['Alt+C', true],
    ]);
  });

  it('say when two are the same, and the first one works', () => {
    const shortcuts = shortcutsOf(actions, { b: 'Ctrl+1' }, false);
    expect(shortcuts.map(({ problem }) => problem)).toEqual([
      'Open B has the same chord.',
      'Open A has the same chord.',
      undefined,
    ]);
    expect(chordTable(shortcuts, false).get('Ctrl+1')).toBe('a');
  });

  it('are not the same on a Mac, where Mod is Cmd', () => {
    expect(shortcutsOf(actions, { b: 'Ctrl+1' }, true).every(({ problem }) => problem === undefined)).toBe(
      true,
    );
  });

  it('say when a text is no chord', () => {
    const [first] = shortcutsOf(actions, { a: 'Hyper+X' }, false);
    expect(first).toMatchObject({ chord: undefined, problem: '"Hyper+X" is not a chord.' });
  });

  it.each([[false], [true]])('of the frame have no conflict (Mac: %s)', (mac) => {
    const problems = shortcutsOf(Object.values(frameShortcuts), {}, mac).flatMap(
      ({ problem }) => problem ?? [],
    );
    expect(problems).toEqual([]);
  });
});
