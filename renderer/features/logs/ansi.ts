/** How a stretch of text is to look. Colours: 0-15 of the theme, or `#rrggbb`. */
export interface AnsiStyle {
  readonly color?: number | string | undefined;
  readonly background?: number | string | undefined;
  readonly bold?: true | undefined;
  readonly dim?: true | undefined;
  readonly italic?: true | undefined;
  readonly underline?: true | undefined;
  readonly strike?: true | undefined;
  readonly inverse?: true | undefined;
}

export interface AnsiSpan {
  readonly text: string;
  readonly style: AnsiStyle;
}

/**
 * Everything that a terminal would not print: control sequences, commands and device strings with or without their
 * end, other escapes, and control characters but tabs. Every alternative consumes at least its first character and
 * none can be read in two ways, so that matching takes linear time.
 */
const sequences =
  /\u001b\[[0-?]*[ -/]*[@-~]?|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000a-\u001a\u001c-\u001f\u007f-\u009f]/g;
const anySequence = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/;

/** The text alone, as it is searched, filtered and copied. */
export function stripAnsi(text: string): string {
  return anySequence.test(text) ? text.replace(sequences, '') : text;
}

const plain: AnsiStyle = {};

/** The text in stretches of one look each. Only colours and styles are followed; every other sequence is left out. */
export function parseAnsi(text: string): readonly AnsiSpan[] {
  if (!anySequence.test(text)) return text === '' ? [] : [{ text, style: plain }];
  const spans: AnsiSpan[] = [];
  let style = plain;
  let pending = '';
  let from = 0;
  const flush = (): void => {
    if (pending !== '') spans.push({ text: pending, style });
    pending = '';
  };
  for (const match of text.matchAll(sequences)) {
    pending += text.slice(from, match.index);
    from = match.index + match[0].length;
    const parameters = /^\u001b\[([\d;:]*)m$/.exec(match[0])?.[1];
    if (parameters === undefined) continue;
    flush();
    style = applySgr(style, parameters);
  }
  pending += text.slice(from);
  flush();
  return spans;
}

/** The look after a "select graphic rendition". */
function applySgr(before: AnsiStyle, parameters: string): AnsiStyle {
  const numbers = parameters.split(/[;:]/).map((text) => (text === '' ? 0 : Number(text)));
  let style = before;
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index] ?? 0;
    if (code === 38 || code === 48) {
      const { color, used } = extendedColor(numbers.slice(index + 1));
      index += used;
      if (color !== undefined) style = code === 38 ? { ...style, color } : { ...style, background: color };
    } else style = applyCode(style, code);
  }
  return style;
}

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, color: code - 90 + 8 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 100 + 8 };
  switch (code) {
    case 0:
      return plain;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 9:
      return { ...style, strike: true };
    case 22:
      return without(style, 'bold', 'dim');
    case 23:
      return without(style, 'italic');
    case 24:
      return without(style, 'underline');
    case 27:
      return without(style, 'inverse');
    case 29:
      return without(style, 'strike');
    case 39:
      return without(style, 'color');
    case 49:
      return without(style, 'background');
    default:
      return style;
  }
}

function without(style: AnsiStyle, ...keys: readonly (keyof AnsiStyle)[]): AnsiStyle {
  return Object.fromEntries(Object.entries(style).filter(([key]) => !keys.includes(key as keyof AnsiStyle)));
}

/** What follows 38 or 48: `5;n` of 256 colours, or `2;r;g;b`. */
function extendedColor(rest: readonly number[]): { readonly color?: number | string; readonly used: number } {
  const [kind, first = 0, green = 0, blue = 0] = rest;
  if (kind === 5) return first > 255 ? { used: 2 } : { color: indexedColor(first), used: 2 };
  if (kind !== 2) return { used: rest.length };
  return [first, green, blue].some((part) => part > 255)
    ? { used: 4 }
    : { color: hex(first, green, blue), used: 4 };
}

const cubeLevels: readonly number[] = [0, 95, 135, 175, 215, 255];

/** One of 256 colours: the theme's 16, a cube of 6 by 6 by 6, and greys. */
function indexedColor(index: number): number | string {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return hex(grey, grey, grey);
  }
  const cube = index - 16;
  const level = (step: number): number => cubeLevels[Math.floor(cube / step) % 6] ?? 0;
  return hex(level(36), level(6), level(1));
}

function hex(...parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
