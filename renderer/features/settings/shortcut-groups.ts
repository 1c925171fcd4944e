import { canonicalChord } from '../../app/chord.ts';
import type { Shortcut } from '../../app/shortcuts.ts';
import { chordText } from '../../ui/chord-text.ts';

/** In the order of their first action. */
export function byCategory(
  shortcuts: readonly Shortcut[],
): readonly (readonly [category: string, group: readonly Shortcut[]])[] {
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of shortcuts) {
    groups.set(shortcut.category, [...(groups.get(shortcut.category) ?? []), shortcut]);
  }
  return [...groups];
}

/** Those whose name, group or keys have every word of the filter in them. */
export function matchingShortcuts(
  shortcuts: readonly Shortcut[],
  filter: string,
  mac: boolean,
): readonly Shortcut[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return shortcuts.filter(({ label, category, chord }) => {
    const text = `${label} ${category} ${chord === undefined ? '' : chordText(chord, mac)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What pressing a chord for an action means. */
export type PressedChord =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'free'; readonly chord: string }
  | { readonly kind: 'taken'; readonly chord: string; readonly by: readonly Shortcut[] };

/**
 * Whether a chord can be an action's. One without Ctrl, Alt or Cmd would take a letter from everybody who writes;
 * function keys and signs may stand alone. `Mod` is written for the key of this system, so that the settings mean
 * the same elsewhere.
 */
export function judgeChord(
  pressed: string | undefined,
  id: string,
  others: readonly Shortcut[],
  mac: boolean,
): PressedChord {
  if (pressed === undefined) return { kind: 'nothing' };
  const parts = pressed.split(/\+(?=.)/u);
  const key = parts.at(-1) ?? '';
  const held = parts.slice(0, -1);
  const strong = held.some((part) => part !== 'Shift');
  if (!strong && !/^F\d+$/.test(key) && !/^[^\p{L}\p{N}]$/u.test(key)) {
    return {
      kind: 'unusable',
      reason: `${chordText(pressed, mac)} is needed for writing and moving: add Ctrl or Alt.`,
    };
  }
  const mod = mac ? 'Meta' : 'Ctrl';
  // A Mac knows both keys; elsewhere Ctrl is the only one, and means Cmd there.
  const chord = [...held.map((part) => (part === mod ? 'Mod' : part)), key].join('+');
  const by = others.filter(
    (other) =>
      other.id !== id &&
      other.chord !== undefined &&
      canonicalChord(other.chord, mac) === canonicalChord(chord, mac),
  );
  return by.length === 0 ? { kind: 'free', chord } : { kind: 'taken', chord, by };
}
