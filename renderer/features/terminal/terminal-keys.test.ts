import { describe, expect, it } from 'vitest';
import { isOurChord } from './terminal-keys.ts';

const chord = (text: string) => {
  const keys = text.split('+');
  return {
    key: keys.at(-1) ?? '',
    ctrlKey: keys.includes('Ctrl'),
    shiftKey: keys.includes('Shift'),
    altKey: keys.includes('Alt'),
    metaKey: keys.includes('Meta'),
  };
};

describe('chords while a terminal has the focus', () => {
  it.each([
    ['Ctrl+Shift+F', true],
    ['Ctrl+Shift+p', true],
    ['Meta+k', true],
    ['Ctrl+p', false],
    ['Ctrl+c', false],
    ['Shift+A', false],
    ['Alt+f', false],
    ['Ctrl+Shift+ArrowLeft', false],
    ['Ctrl+Alt+Shift+x', false],
    ['F5', false],
  ])('%s is ours: %j', (text, ours) => expect(isOurChord(chord(text))).toBe(ours));
});
