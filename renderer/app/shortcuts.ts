import type { Action } from './action-registry.ts';
import { canonicalChord } from './chord.ts';

/** An action with the chord that it has here. */
export interface Shortcut {
  readonly id: string;
  readonly label: string;
  readonly category: string;
  /** As Slipway ships it; absent when it has none. */
  readonly defaultChord?: string | undefined;
  /** What works: the user's own, or the default; absent when there is none. */
  readonly chord?: string | undefined;
  readonly changed: boolean;
  /** Why the chord does not do what it says, as a sentence. */
  readonly problem?: string | undefined;
}

/**
 * The chords of all actions, in the order of the actions, with what the settings say instead. A chord that two have
 * is the first one's, and both say so.
 */
export function shortcutsOf(
  actions: readonly Pick<Action, 'id' | 'label' | 'category' | 'chord'>[],
  overrides: Readonly<Record<string, string>>,
  mac: boolean,
): readonly Shortcut[] {
  const users = new Map<string, string[]>();
  const drafts = actions.map((action) => {
    const own = overrides[action.id];
    const written = own ?? action.chord;
    const chord = written === undefined || written === '' ? undefined : canonicalChord(written, mac);
    if (chord !== undefined) users.set(chord, [...(users.get(chord) ?? []), action.label]);
    return { action, own, written, chord };
  });
  return drafts.map(({ action, own, written, chord }) => ({
    id: action.id,
    label: action.label,
    category: action.category,
    defaultChord: action.chord,
    chord: chord === undefined ? undefined : written,
    changed: own !== undefined && own !== (action.chord ?? ''),
    problem: problemOf(action.label, written, chord, users),
  }));
}

function problemOf(
  label: string,
  written: string | undefined,
  chord: string | undefined,
  users: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  if (chord === undefined)
    return written === undefined || written === '' ? undefined : `"${written}" is not a chord.`;
  const others = (users.get(chord) ?? []).filter((other) => other !== label);
  return others.length === 0 ? undefined : `${others.join(' and ')} has the same chord.`;
}

/** Which action a chord runs: canonical chord to id. Of two with the same one, the first. */
export function chordTable(shortcuts: readonly Shortcut[], mac: boolean): ReadonlyMap<string, string> {
  const table = new Map<string, string>();
  for (const { id, chord } of shortcuts) {
    const canonical = chord === undefined ? undefined : canonicalChord(chord, mac);
    if (canonical !== undefined && !table.has(canonical)) table.set(canonical, id);
  }
  return table;
}
