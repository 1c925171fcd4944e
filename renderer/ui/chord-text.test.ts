import { expect, it } from 'vitest';
import { chordText } from './chord-text.ts';

it.each([
  ['Mod+Shift+P', 'Ctrl+Shift+P', '⇧⌘P'],
  ['Ctrl+Shift+1', 'Ctrl+Shift+1', '⌃⇧1'],
  ['Shift+Meta+P', 'Shift+Win+P', '⇧⌘P'],
  ['?', '?', '?'],
  ['Mod++', 'Ctrl++', '⌘+'],
  ['Alt+ArrowLeft', 'Alt+←', '⌥←'],
])('%s is written as the keyboard has it', (chord, other, mac) => {
  expect(chordText(chord, false)).toBe(other);
  expect(chordText(chord, true)).toBe(mac);
});
