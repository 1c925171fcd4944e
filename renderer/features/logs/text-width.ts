/** Columns from one tab stop to the next. */
export const tabColumns = 4;
const narrow = /^[\u0020-\u007e]*$/;

/** Columns that a text takes in a font of fixed width: wide characters take two, and a tab goes to its stop. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 9) width += tabColumns - (width % tabColumns);
    else width += isWide(code) ? 2 : 1;
  }
  return width;
}

/** East Asian wide and emoji, by their blocks: a line that is thought too wide only leaves a gap. */
function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    code >= 0x1f000
  );
}

/** Lines on the screen that a text takes when it is wrapped. */
export function wrappedLines(text: string, columns: number): number {
  return Math.max(1, Math.ceil(textWidth(text) / Math.max(1, columns)));
}
