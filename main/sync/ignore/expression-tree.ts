/** Characters by code point: ranges in ascending pairs, or everything but them. */
export interface CharacterSet {
  readonly ranges: readonly (readonly [from: number, to: number])[];
  readonly negated: boolean;
}

/** A regular expression in the syntax that the dialects compile to. */
export type Expression =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly part: Expression; readonly min: number; readonly max: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' };

/** Parts in parts: more than any pattern has, and few enough for the stack. */
const depthLimit = 200;
const digits: CharacterSet = { ranges: [[48, 57]], negated: false };
const word: CharacterSet = {
  ranges: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  negated: false,
};
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Reads an expression that `RegExp` with its `u` flag takes; undefined for syntax that the dialects never produce. */
export function parseExpression(source: string): Expression | undefined {
  const parser = new Parser(Array.from(source));
  try {
    const expression = parser.choice(0);
    return parser.atEnd ? expression : undefined;
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

class Unsupported extends Error {}

class Parser {
  readonly #text: readonly string[];
  #at = 0;

  constructor(text: readonly string[]) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  choice(depth: number): Expression {
    if (depth > depthLimit) throw new Unsupported();
    const options = [this.#sequence(depth)];
    while (this.#take('|')) options.push(this.#sequence(depth));
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }

  #sequence(depth: number): Expression {
    const parts: Expression[] = [];
    while (!this.atEnd && this.#peek() !== '|' && this.#peek() !== ')')
      parts.push(this.#quantified(this.#atom(depth)));
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts };
  }

  #quantified(part: Expression): Expression {
    const range = this.#quantifier();
    if (range === undefined) return part;
    // A lazy quantifier matches the same texts.
    this.#take('?');
    return { kind: 'repeat', part, ...range };
  }

  #quantifier(): { readonly min: number; readonly max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Infinity };
    if (this.#take('+')) return { min: 1, max: Infinity };
    if (this.#take('?')) return { min: 0, max: 1 };
    if (!this.#take('{')) return undefined;
    const min = this.#number();
    const max = this.#take(',') ? (this.#peek() === '}' ? Infinity : this.#number()) : min;
    if (!this.#take('}') || max < min) throw new Unsupported();
    return { min, max };
  }

  #atom(depth: number): Expression {
    const character = this.#next();
    switch (character) {
      case '(': {
        if (this.#take('?') && !this.#take(':')) throw new Unsupported();
        const inner = this.choice(depth + 1);
        if (!this.#take(')')) throw new Unsupported();
        return inner;
      }
      case '[':
        return { kind: 'set', set: this.#class() };
      case '^':
        return { kind: 'start' };
      case '$':
        return { kind: 'end' };
      case '\\':
        return { kind: 'set', set: this.#escape() };
      case '.':
      case '*':
      case '+':
      case '?':
      case '{':
        throw new Unsupported();
      default:
        return { kind: 'set', set: single(codeOf(character)) };
    }
  }

  #escape(): CharacterSet {
    const character = this.#next();
    if (character === 'd') return digits;
    if (character === 'D') return { ...digits, negated: true };
    if (character === 'w') return word;
    if (character === 'W') return { ...word, negated: true };
    return single(this.#escapedCode(character));
  }

  #class(): CharacterSet {
    const negated = this.#take('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.#take(']')) {
      const from = this.#classCode();
      const isRange = this.#peek() === '-' && this.#text[this.#at + 1] !== ']';
      if (isRange) this.#at++;
      const to = isRange ? this.#classCode() : from;
      if (to < from) throw new Unsupported();
      ranges.push([from, to]);
    }
    return { ranges: ranges.sort(([a], [b]) => a - b), negated };
  }

  #classCode(): number {
    const character = this.#next();
    return character === '\\' ? this.#escapedCode(this.#next()) : codeOf(character);
  }

  #escapedCode(character: string): number {
    if (character === 'x') {
      const hex = this.#next() + this.#next();
      if (!/^[0-9a-f]{2}$/i.test(hex)) throw new Unsupported();
      return Number.parseInt(hex, 16);
    }
    const control = controls[character];
    if (control !== undefined) return control;
    if (/[A-Za-z0-9]/.test(character)) throw new Unsupported();
    return codeOf(character);
  }

  #number(): number {
    let text = '';
    while (/^[0-9]$/.test(this.#peek() ?? '')) text += this.#next();
    if (text === '') throw new Unsupported();
    return Number(text);
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #next(): string {
    const character = this.#text[this.#at++];
    if (character === undefined) throw new Unsupported();
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function single(code: number): CharacterSet {
  return { ranges: [[code, code]], negated: false };
}
