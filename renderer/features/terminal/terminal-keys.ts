/** What of a key event says whose it is. */
export type KeyChord = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/**
 * Whether a chord is the app's while a terminal has the focus: Ctrl+Shift with a letter or a sign, and Command on a
 * Mac. Arrows and the like with Ctrl+Shift are the shell's, as are all others.
 */
export function isOurChord({ key, ctrlKey, shiftKey, altKey, metaKey }: KeyChord): boolean {
  if (metaKey && !ctrlKey) return true;
  return ctrlKey && shiftKey && !altKey && key.length === 1;
}
