/** A stretch of text as it is shown: as it is, or standing for something that cannot be seen. */
export interface TextPart {
  readonly kind: 'plain' | 'mark';
  readonly text: string;
}

/** Characters that are shown of one text before "Show All". */
export const shownCharacters = 400;
/** Characters that are ever shown of one text: more would stop the window. Copying gives all. */
export const mostCharacters = 100_000;

/**
 * What nobody sees and what can make a text look like another one: controls, bidi embeddings, overrides, isolates and
 * marks, zero-width characters that join nothing, soft hyphens, fillers, tags, unpaired surrogates, private use, line
 * and paragraph separators. Tab and line feed are left to whoever shows several lines.
 */
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}\ue000-\uf8ff]|(?<=[\u0020-\u007e])[\u200c\u200d]|(?<=[A-Za-z])[\ufe00-\ufe0f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

/** More combining characters than this on one letter are marks that climb over other lines. */
const mostCombining = 4;
const pile = new RegExp(`(\\p{M}{${mostCombining}})\\p{M}+`, 'gu');

const controlNames =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

/** The name of a control character, which every font can write; of everything else the number. */
function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x7f) return 'DEL';
  const name = controlNames[code];
  if (name !== undefined) return name;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Takes a text apart so that everything in it can be seen. With `lines`, tabs and line feeds stay what they are.
 * Zero-width joiners and variation selectors stay within emoji and scripts that need them, not within plain letters.
 */
export function visibleParts(value: string, { lines = false } = {}): readonly TextPart[] {
  const parts: TextPart[] = [];
  const add = (kind: TextPart['kind'], text: string) => {
    if (text !== '') parts.push({ kind, text });
  };
  let from = 0;
  const text = value.replace(pile, '$1');
  for (const match of text.matchAll(hidden)) {
    const character = match[0];
    if (lines && (character === '\n' || character === '\t')) continue;
    add('plain', text.slice(from, match.index));
    add('mark', markOf(character));
    from = match.index + character.length;
  }
  add('plain', text.slice(from));
  return parts;
}

/** The first so many characters, never half of one that is written in two. */
export function cut(value: string, most: number): string {
  if (value.length <= most) return value;
  const last = value.charCodeAt(most - 1);
  return value.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

/** One line of plain text in which everything can be seen: for titles, names of controls and tooltips. */
export function visibleLine(value: string, most = shownCharacters): string {
  const short = cut(value, most);
  const shown = visibleParts(short)
    .map((part) => (part.kind === 'mark' ? `‹${part.text}›` : part.text))
    .join('');
  return short.length < value.length ? `${shown}…` : shown;
}
