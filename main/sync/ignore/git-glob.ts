import { asciiClass, literalSource, namedClass } from './byte-class.ts';

/*
 * git matches bytes, regular expressions match characters. One-byte wildcards therefore stand for one ASCII
 * character, and a run of them for every character sequence of as many UTF-8 bytes.
 */
const oneByte = '[^/\u0080-\u{10ffff}]';
const multiByte: readonly (readonly [bytes: number, source: string])[] = [
  [1, oneByte],
  [2, '[\u0080-\u07ff]'],
  [3, '[\u0800-\uffff]'],
  [4, '[\u{10000}-\u{10ffff}]'],
];
const anyByteRunLimit = 6;

/**
 * A git wildcard pattern as regular-expression source without anchors; undefined when git would never match it
 * (an unfinished class or escape). `pathname`: `*`, `?` and classes stop at a slash and `**` has its meaning.
 * `afterPrefix`: the pattern is what follows a literal part, where git takes a leading `**` for a whole part.
 */
export function gitGlobSource(pattern: string): string | undefined {
  const characters = Array.from(pattern);
  let source = '';
  let index = 0;
  while (index < characters.length) {
    const character = characters[index] ?? '';
    if (character === '*' || character === '?') {
      const run = wildcardRun(characters, index);
      source += run.source;
      index = run.end;
    } else if (character === '[') {
      const parsed = parseClass(characters, index);
      if (parsed === undefined) return undefined;
      const ascii = asciiClass((code) => code !== 47 && parsed.members(code)) ?? neverMatches;
      const besideStar = characters[index - 1] === '*' || characters[parsed.end] === '*';
      source += parsed.negated && besideStar ? `(?:${ascii}|${multiByteCharacter})` : ascii;
      index = parsed.end;
    } else if (character === '\\') {
      const next = characters[index + 1];
      if (next === undefined) return undefined;
      source += literalSource(next);
      index += 2;
    } else {
      source += literalSource(character);
      index++;
    }
  }
  return source;
}

/** No character is both a slash and not one. */
const neverMatches = '[^\\x00-\\x7f\u0080-\u{10ffff}]';

/** A negated class takes one byte of such a character, and a star beside it the others. */
const multiByteCharacter = '[\u0080-\u{10ffff}]';

interface Piece {
  readonly source: string;
  readonly end: number;
}

function wildcardRun(characters: readonly string[], start: number): Piece {
  const stars = starsAt(characters, start);
  if (stars > 1) {
    const before = start === 0 || characters[start - 1] === '/';
    const end = start + stars;
    const slash =
      characters[end] === '/' ? 1 : characters[end] === '\\' && characters[end + 1] === '/' ? 2 : 0;
    if (before && end === characters.length) return { source: anyText, end };
    if (before && slash === 1) return { source: `(?:${anyText}/)?`, end: end + 1 };
    if (before && slash === 2) return { source: `${anyText}/`, end: end + 2 };
  }
  let end = start;
  let bytes = 0;
  let open = false;
  for (; end < characters.length; end++) {
    if (characters[end] === '?') bytes++;
    else if (characters[end] !== '*') break;
    else {
      if (end > start && starsAt(characters, end) > 1 && characters[end - 1] === '/') break;
      open = true;
    }
  }
  return { source: byteRun(bytes, open), end };
}

const anyText = '[\\x00-\\x7f\u0080-\u{10ffff}]*';

function starsAt(characters: readonly string[], start: number): number {
  let end = start;
  while (characters[end] === '*') end++;
  return end - start;
}

/** `bytes` one-byte wildcards in a row, and any more when `open`. */
function byteRun(bytes: number, open: boolean): string {
  if (bytes === 0) return '[^/]*';
  if (bytes > anyByteRunLimit) return open ? `[^/]{${bytes},}` : `${oneByte}{${bytes}}`;
  const sequences = sequencesOf(bytes, open);
  return sequences.length === 1 && !open
    ? (sequences[0] ?? '')
    : `(?:${sequences.join('|')})${open ? '[^/]*' : ''}`;
}

/** Character sequences whose bytes add up to `bytes`, or reach it when `atLeast`. */
function sequencesOf(bytes: number, atLeast: boolean): string[] {
  if (bytes <= 0) return [''];
  return multiByte.flatMap(([width, source]) =>
    width > bytes && !atLeast ? [] : sequencesOf(bytes - width, atLeast).map((rest) => source + rest),
  );
}

interface ByteSet {
  readonly members: (code: number) => boolean;
  readonly negated: boolean;
  /** Index after the closing bracket. */
  readonly end: number;
}

/** A bracket expression as wildmatch reads it; undefined when it is never closed or names an unknown class. */
function parseClass(characters: readonly string[], start: number): ByteSet | undefined {
  const codes = new Set<number>();
  let index = start + 1;
  const negated = characters[index] === '!' || characters[index] === '^';
  if (negated) index++;
  let previous: string | undefined;
  for (let first = true; first || characters[index] !== ']'; first = false) {
    let character = characters[index];
    if (character === undefined) return undefined;
    const next = characters[index + 1];
    if (character === '\\') {
      if (next === undefined) return undefined;
      addRange(codes, next, next);
      previous = next;
      index += 2;
    } else if (character === '-' && previous !== undefined && next !== undefined && next !== ']') {
      index++;
      character = next;
      if (character === '\\') {
        index++;
        character = characters[index];
        if (character === undefined) return undefined;
      }
      addRange(codes, previous, character);
      previous = undefined;
      index++;
    } else if (character === '[' && next === ':') {
      const close = characters.indexOf(']', index + 2);
      if (close < 0) return undefined;
      const name = characters.slice(index + 2, close).join('');
      if (!name.endsWith(':')) {
        addRange(codes, '[', '[');
        previous = '[';
        index++;
      } else {
        const members = namedClass(name.slice(0, -1));
        if (members === undefined) return undefined;
        for (let code = 0; code < 128; code++) if (members(code)) codes.add(code);
        previous = undefined;
        index = close + 1;
      }
    } else {
      addRange(codes, character, character);
      previous = character;
      index++;
    }
  }
  return { members: (code) => codes.has(code) !== negated, negated, end: index + 1 };
}

function addRange(codes: Set<number>, from: string, to: string): void {
  const last = Math.min(to.codePointAt(0) ?? 0, 127);
  for (let code = from.codePointAt(0) ?? 0; code <= last; code++) codes.add(code);
}
