/** What a pattern is made of. */
export type PatternNode =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assert'; readonly at: 'start' | 'end' | 'boundary' | 'inside' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number };

/** Code units by ranges, or all but those. */
export interface CharacterSet {
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly negated: boolean;
}

/** Says why a pattern cannot be used, as a sentence. */
export class PatternProblem extends Error {}

/** Counted repetitions up to here; each one is written out. */
const maximumCount = 100;
const maximumDepth = 50;

const digits: CharacterSet['ranges'] = [[48, 57]];
const words: CharacterSet['ranges'] = [...digits, [65, 90], [95, 95], [97, 122]];
const spaces: CharacterSet['ranges'] = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const lineEnds: CharacterSet['ranges'] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const classes: Readonly<Record<string, CharacterSet['ranges']>> = { d: digits, w: words, s: spaces };
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, '0': 0 };

/** Reads a regular expression as JavaScript writes it, without what only a backtracking search can do. */
export function parsePattern(text: string): PatternNode {
  const parser = new Parser(text);
  const node = parser.choice(0);
  if (!parser.atEnd) throw new PatternProblem('There is a ) without its (.');
  return node;
}

class Parser {
  readonly #text: string;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#index >= this.#text.length;
  }

  choice(depth: number): PatternNode {
    if (depth > maximumDepth) throw new PatternProblem('Its groups are nested too deeply.');
    const parts = [this.#sequence(depth)];
    while (this.#skip('|')) parts.push(this.#sequence(depth));
    return parts.length === 1 ? (parts[0] ?? { kind: 'empty' }) : { kind: 'choice', parts };
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    while (!this.atEnd && !this.#sees('|') && !this.#sees(')')) parts.push(this.#repeated(depth));
    return parts.length === 0 ? { kind: 'empty' } : { kind: 'sequence', parts };
  }

  #repeated(depth: number): PatternNode {
    const part = this.#atom(depth);
    const count = this.#count();
    if (count === undefined) return part;
    if (part.kind === 'assert') throw new PatternProblem('There is nothing to repeat before a quantifier.');
    // Lazy or not makes no difference to whether there is a match.
    this.#skip('?');
    if (this.#count() !== undefined) throw new PatternProblem('There are two quantifiers after each other.');
    return { kind: 'repeat', part, ...count };
  }

  #count(): { readonly least: number; readonly most: number } | undefined {
    if (this.#skip('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#skip('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#skip('?')) return { least: 0, most: 1 };
    const match = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#text.slice(this.#index, this.#index + 16));
    if (match === null) return undefined;
    this.#index += match[0].length;
    const least = Number(match[1]);
    const open = match[2] !== undefined && match[3] === '';
    const most = open ? Number.POSITIVE_INFINITY : Number(match[3] ?? least);
    if (least > most) throw new PatternProblem('A repetition has its numbers the wrong way round.');
    if (least > maximumCount || (!open && most > maximumCount))
      throw new PatternProblem(`It repeats something more than ${maximumCount} times by count.`);
    return { least, most };
  }

  #atom(depth: number): PatternNode {
    const character = this.#take();
    switch (character) {
      case '(':
        return this.#group(depth);
      case '[':
        return { kind: 'set', set: this.#brackets() };
      case '.':
        return { kind: 'set', set: { ranges: lineEnds, negated: true } };
      case '^':
        return { kind: 'assert', at: 'start' };
      case '$':
        return { kind: 'assert', at: 'end' };
      case '\\':
        return this.#escaped();
      case '*':
      case '+':
      case '?':
        throw new PatternProblem('There is nothing to repeat before a quantifier.');
      default:
        return one(character.charCodeAt(0));
    }
  }

  #group(depth: number): PatternNode {
    if (this.#skip('?')) {
      if (!this.#skip(':')) throw new PatternProblem('Only plain groups ( ) and (?: ) can be used here.');
    }
    const node = this.choice(depth + 1);
    if (!this.#skip(')')) throw new PatternProblem('There is a ( without its ).');
    return node;
  }

  #escaped(): PatternNode {
    const character = this.#take();
    if (character === '') throw new PatternProblem('It ends with a \\.');
    if (character === 'b') return { kind: 'assert', at: 'boundary' };
    if (character === 'B') return { kind: 'assert', at: 'inside' };
    const set = classOf(character);
    if (set !== undefined) return { kind: 'set', set };
    if (/[1-9k]/.test(character)) throw new PatternProblem('References to groups cannot be used here.');
    return one(this.#escapedCode(character));
  }

  #escapedCode(character: string): number {
    const control = controls[character];
    if (control !== undefined) return control;
    if (character === 'x' || character === 'u') {
      const length = character === 'x' ? 2 : 4;
      const text = this.#text.slice(this.#index, this.#index + length);
      if (!/^[\da-f]+$/i.test(text) || text.length < length)
        throw new PatternProblem(`\\${character} needs ${length} hexadecimal digits.`);
      this.#index += length;
      return Number.parseInt(text, 16);
    }
    if (/[a-z]/i.test(character)) throw new PatternProblem(`\\${character} cannot be used here.`);
    return character.charCodeAt(0);
  }

  #brackets(): CharacterSet {
    const negated = this.#skip('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.#skip(']')) {
      if (this.atEnd) throw new PatternProblem('There is a [ without its ].');
      const from = this.#member();
      if (typeof from !== 'number') ranges.push(...from);
      else if (this.#sees('-') && !this.#text.startsWith('-]', this.#index)) {
        this.#index += 1;
        const to = this.#member();
        if (typeof to !== 'number' || to < from) throw new PatternProblem('A range in [ ] has no order.');
        ranges.push([from, to]);
      } else ranges.push([from, from]);
    }
    return { ranges, negated };
  }

  #member(): number | CharacterSet['ranges'] {
    const character = this.#take();
    if (character === '') throw new PatternProblem('There is a [ without its ].');
    if (character !== '\\') return character.charCodeAt(0);
    const escaped = this.#take();
    if (escaped === '') throw new PatternProblem('It ends with a \\.');
    if (escaped === 'b') return 8;
    const set = classOf(escaped);
    if (set === undefined) return this.#escapedCode(escaped);
    return set.negated ? complement(set.ranges) : set.ranges;
  }

  #take(): string {
    return this.#text.charAt(this.#index++);
  }

  #sees(text: string): boolean {
    return this.#text.startsWith(text, this.#index);
  }

  #skip(text: string): boolean {
    const there = this.#sees(text);
    if (there) this.#index += text.length;
    return there;
  }
}

function classOf(character: string): CharacterSet | undefined {
  const ranges = classes[character.toLowerCase()];
  return ranges === undefined ? undefined : { ranges, negated: character !== character.toLowerCase() };
}

function complement(ranges: CharacterSet['ranges']): CharacterSet['ranges'] {
  const result: (readonly [number, number])[] = [];
  let next = 0;
  for (const [from, to] of ranges.toSorted(([left], [right]) => left - right)) {
    if (from > next) result.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= 0xffff) result.push([next, 0xffff]);
  return result;
}

function one(code: number): PatternNode {
  return { kind: 'set', set: { ranges: [[code, code]], negated: false } };
}

/** Whether a code unit is in a set. */
export function contains({ ranges, negated }: CharacterSet, code: number): boolean {
  return ranges.some(([from, to]) => code >= from && code <= to) !== negated;
}

/** Whether a code unit belongs to a word, as `\b` sees it. */
export function isWord(code: number): boolean {
  return words.some(([from, to]) => code >= from && code <= to);
}
