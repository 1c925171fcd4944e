import { describe, expect, it } from 'vitest';
import { canonicalChord, chordApplies, pressedChord, type KeyPress } from './chord.ts';

const press = (keys: Partial<KeyPress> & { key: string }): KeyPress => ({
  code: '',
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  metaKey: false,
  ...keys,
});

describe('one way of writing a chord', () => {
  it.each([
    ['Mod+Shift+P', 'Ctrl+Shift+P', 'Shift+Meta+P'],
    ['Shift+Mod+p', 'Ctrl+Shift+P', 'Shift+Meta+P'],
    ['Ctrl+Shift+1', 'Ctrl+Shift+1', 'Ctrl+Shift+1'],
    ['?', '?', '?'],
    ['Shift+?', '?', '?'],
    ['Mod++', 'Ctrl++', 'Meta++'],
    ['Mod+,', 'Ctrl+,', 'Meta+,'],
    ['F6', 'F6', 'F6'],
    ['Alt+ArrowLeft', 'Alt+ArrowLeft', 'Alt+ArrowLeft'],
  ])('%s', (text, other, mac) => {
    expect(canonicalChord(text, false)).toBe(other);
    expect(canonicalChord(text, true)).toBe(mac);
  });

  it.each([[''], ['Mod'], ['Mod+'], ['Hyper+P'], ['Mod+Shift'], ['ä'], ['Mod+PP'], ['F99']])(
    '%s is none',
    (text) => {
      expect(canonicalChord(text, false)).toBeUndefined();
    },
  );
});

describe('what was pressed', () => {
  it.each([
    [press({ key: 'p', code: 'KeyP', ctrlKey: true }), 'Ctrl+P'],
    [press({ key: 'P', code: 'KeyP', ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+P'],
    [press({ key: '!', code: 'Digit1', ctrlKey: true, shiftKey: true }), 'Ctrl+Shift+1'],
    [press({ key: 'з', code: 'KeyP', ctrlKey: true }), 'Ctrl+P'],
    [press({ key: 'q', code: 'KeyA', ctrlKey: true }), 'Ctrl+Q'],
    [press({ key: '?', code: 'Slash', shiftKey: true }), '?'],
    [press({ key: '?', code: 'Minus', shiftKey: true }), '?'],
    [press({ key: 'ArrowLeft', code: 'ArrowLeft', altKey: true }), 'Alt+ArrowLeft'],
    [press({ key: 'Control', code: 'ControlLeft', ctrlKey: true }), undefined],
    [press({ key: 'Process', code: 'KeyP' }), undefined],
  ])('%j', (event, expected) => {
    expect(pressedChord(event)).toBe(expected);
  });
});

describe('whose a chord is', () => {
  it.each([
    ['Ctrl+P', 'page', true],
    ['?', 'page', true],
    ['?', 'text', false],
    ['Ctrl+P', 'text', true],
    ['Alt+ArrowLeft', 'text', false],
    ['Ctrl+P', 'terminal', false],
    ['Ctrl+C', 'terminal', false],
    ['Ctrl+Shift+P', 'terminal', true],
    ['?', 'terminal', false],
    ['Ctrl+Shift+P', 'dialog', false],
  ] as const)('%s in a %s', (chord, place, expected) => {
    expect(chordApplies(chord, place, false)).toBe(expected);
  });

  it('is ours with Cmd on a Mac, also in a terminal', () => {
    expect(chordApplies('Meta+P', 'terminal', true)).toBe(true);
    expect(chordApplies('Ctrl+P', 'terminal', true)).toBe(false);
  });
});
