const macNames: Readonly<Record<string, string>> = {
  Mod: '⌘',
  Meta: '⌘',
  Ctrl: '⌃',
  Alt: '⌥',
  Shift: '⇧',
  Enter: '↩',
  Escape: 'esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};
const otherNames: Readonly<Record<string, string>> = {
  Mod: 'Ctrl',
  Meta: 'Win',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** A chord like `Mod+Shift+P` in the words of the keyboard: `Ctrl+Shift+P`, or `⇧⌘P` on a Mac. */
export function chordText(chord: string, mac: boolean): string {
  const keys = chord.split(/\+(?=.)/u);
  const names = mac ? macNames : otherNames;
  const words = keys.map((key) => names[key] ?? key);
  if (!mac) return words.join('+');
  const order = ['⌃', '⌥', '⇧', '⌘'];
  return words.toSorted((a, b) => rank(order, a) - rank(order, b)).join('');
}

function rank(order: readonly string[], word: string): number {
  const index = order.indexOf(word);
  return index === -1 ? order.length : index;
}
