/** What of a key event makes a chord. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

const modifiers = ['Ctrl', 'Alt', 'Shift', 'Meta'] as const;
const modifierKeys: ReadonlySet<string> = new Set([
  'Control',
  'Alt',
  'AltGraph',
  'Shift',
  'Meta',
  'Dead',
  'Process',
]);
const keyNames: ReadonlySet<string> = new Set([
  'Enter',
  'Escape',
  'Tab',
  'Backspace',
  'Delete',
  'Insert',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'Space',
]);

/**
 * One way of writing for each chord: modifiers in a fixed order, `Mod` as the key of this system (Cmd on a Mac, Ctrl
 * elsewhere), letters upper case. Undefined when it is none. Shift before a sign like `?` says nothing: the sign is
 * what the keyboard makes of it.
 */
export function canonicalChord(text: string, mac: boolean): string | undefined {
  const parts = text.trim().split(/\+(?=.)/u);
  const key = keyOf(parts.at(-1) ?? '');
  if (key === undefined) return undefined;
  const held = new Set<string>();
  for (const part of parts.slice(0, -1)) {
    const name = part === 'Mod' ? (mac ? 'Meta' : 'Ctrl') : part;
    if (!modifiers.some((modifier) => modifier === name)) return undefined;
    held.add(name);
  }
  return join(held, key);
}

/** The chord that a key event is, written as {@link canonicalChord} does; undefined for a modifier alone. */
export function pressedChord(press: KeyPress): string | undefined {
  if (modifierKeys.has(press.key)) return undefined;
  const key = keyOf(letterOf(press));
  if (key === undefined) return undefined;
  const held = new Set<string>();
  if (press.ctrlKey) held.add('Ctrl');
  if (press.altKey) held.add('Alt');
  if (press.shiftKey) held.add('Shift');
  if (press.metaKey) held.add('Meta');
  return join(held, key);
}

/** Digits are those of the key, whatever Shift makes of it; letters of other scripts give way to the key's place. */
function letterOf({ key, code }: KeyPress): string {
  const digit = /^Digit(\d)$/.exec(code)?.[1];
  if (digit !== undefined) return digit;
  if (/^[a-z]$/i.test(key)) return key;
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter !== undefined && key.length === 1) return letter;
  return key === ' ' ? 'Space' : key;
}

function keyOf(text: string): string | undefined {
  if (/^[a-z0-9]$/i.test(text)) return text.toUpperCase();
  if (/^F([1-9]|1\d|2[0-4])$/.test(text) || keyNames.has(text)) return text;
  return /^[^\p{L}\p{N}\p{C}\p{Z}]$/u.test(text) ? text : undefined;
}

function join(held: ReadonlySet<string>, key: string): string {
  const sign = key.length === 1 && !/[A-Z0-9]/.test(key);
  return [...modifiers.filter((name) => held.has(name) && !(sign && name === 'Shift')), key].join('+');
}

/** Where the focus is, as far as it matters for chords. */
export type FocusPlace = 'page' | 'text' | 'terminal' | 'dialog';

/**
 * Whether a chord is ours there. A terminal keeps all but Ctrl+Shift chords and, on a Mac, those with Cmd; a field
 * keeps what writes; a dialog keeps everything.
 */
export function chordApplies(chord: string, place: FocusPlace, mac: boolean): boolean {
  const held = new Set(chord.split(/\+(?=.)/u).slice(0, -1));
  switch (place) {
    case 'dialog':
      return false;
    case 'terminal':
      return (held.has('Ctrl') && held.has('Shift')) || (mac && held.has('Meta'));
    case 'text':
      return held.has('Ctrl') || held.has('Meta') || /^F\d+$/.test(chord);
    case 'page':
      return true;
  }
}
