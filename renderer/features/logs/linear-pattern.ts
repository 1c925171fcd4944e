import {
  contains,
  isWord,
  parsePattern,
  PatternProblem,
  type CharacterSet,
  type PatternNode,
} from './pattern-syntax.ts';

/** Bound on a pattern as it is written out. */
const maximumSteps = 4_000;
/** Bound on what is remembered of the texts looked at; beyond it is begun anew. */
const maximumStates = 2_000;

type Step =
  | { readonly kind: 'set'; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: 'split'; readonly next: number; readonly other: number }
  | { readonly kind: 'assert'; readonly at: 'start' | 'end' | 'boundary' | 'inside'; readonly next: number }
  | { readonly kind: 'match' };

/** What may be matched when all up to here has been read. */
interface State {
  readonly steps: readonly number[];
  readonly atStart: boolean;
  readonly afterWord: boolean;
  /** By code unit; `true` is a match whatever follows. */
  readonly next: Map<number, State | true>;
  ends: boolean | undefined;
}

/**
 * Whether texts match a regular expression, in a time that only grows with the length of the text: a line that a
 * container prints must not be able to stop the window. Rejects with {@link PatternProblem} what cannot be read.
 */
export class LinearPattern {
  readonly #ignoreCase: boolean;
  readonly #steps: Step[] = [];
  readonly #first: number;
  #states = new Map<string, State>();

  constructor(pattern: string, { ignoreCase = false } = {}) {
    this.#ignoreCase = ignoreCase;
    const match = this.#add({ kind: 'match' });
    this.#first = this.#compile(parsePattern(pattern), match);
  }

  test(text: string): boolean {
    let state: State | true = this.#state([this.#first], true, false);
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      const next: State | true = state.next.get(code) ?? this.#advance(state, code);
      if (next === true) return true;
      state = next;
    }
    state.ends ??= this.#reach(state, undefined) === true;
    return state.ends;
  }

  #add(step: Step): number {
    if (this.#steps.length >= maximumSteps)
      throw new PatternProblem('It is too long, or repeats too much by count.');
    this.#steps.push(step);
    return this.#steps.length - 1;
  }

  /** The step that a part begins with, when `next` follows it. */
  #compile(node: PatternNode, next: number): number {
    switch (node.kind) {
      case 'empty':
        return next;
      case 'set':
        return this.#add({ kind: 'set', set: node.set, next });
      case 'assert':
        return this.#add({ kind: 'assert', at: node.at, next });
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.#compile(part, after), next);
      case 'choice':
        return node.parts
          .map((part) => this.#compile(part, next))
          .reduce((one, other) => this.#add({ kind: 'split', next: one, other }));
      case 'repeat':
        return this.#compileRepeat(node, next);
    }
  }

  #compileRepeat(
    { part, least, most }: { readonly part: PatternNode; readonly least: number; readonly most: number },
    next: number,
  ): number {
    let after = next;
    if (most === Number.POSITIVE_INFINITY) {
      const loop = this.#add({ kind: 'match' });
      this.#steps[loop] = { kind: 'split', next: this.#compile(part, loop), other: next };
      after = loop;
    } else {
      for (let count = least; count < most; count++)
        after = this.#add({ kind: 'split', next: this.#compile(part, after), other: next });
    }
    for (let count = 0; count < least; count++) after = this.#compile(part, after);
    return after;
  }

  #state(steps: readonly number[], atStart: boolean, afterWord: boolean): State {
    const key = `${atStart ? '^' : ''}${afterWord ? 'w' : ''}${steps.join()}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= maximumStates) this.#states = new Map();
    const state: State = { steps, atStart, afterWord, next: new Map(), ends: undefined };
    this.#states.set(key, state);
    return state;
  }

  #advance(state: State, code: number): State | true {
    const reached = this.#reach(state, code);
    let next: State | true = true;
    if (reached !== true) {
      const steps = new Set<number>();
      for (const index of reached) {
        const step = this.#steps[index];
        if (step?.kind === 'set' && this.#accepts(step.set, code)) steps.add(step.next);
      }
      // A match may also begin with the next character.
      steps.add(this.#first);
      next = this.#state(
        [...steps].sort((left, right) => left - right),
        false,
        isWord(code),
      );
    }
    state.next.set(code, next);
    return next;
  }

  /** The steps that wait for a character here, or true when there is a match; `code` is undefined at the end. */
  #reach(state: State, code: number | undefined): ReadonlySet<number> | true {
    const seen = new Set<number>();
    const open = [...state.steps];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      const step = this.#steps[index];
      if (step?.kind === 'match') return true;
      if (step?.kind === 'split') open.push(step.next, step.other);
      if (step?.kind === 'assert' && holds(step.at, state, code)) open.push(step.next);
    }
    return seen;
  }

  #accepts(set: CharacterSet, code: number): boolean {
    if (!this.#ignoreCase) return contains(set, code);
    // Case is ignored before the set is turned round: [^a] is not to take an A.
    return otherCases(code).some((same) => contains({ ...set, negated: false }, same)) !== set.negated;
  }
}

function holds(
  at: 'start' | 'end' | 'boundary' | 'inside',
  { atStart, afterWord }: State,
  code: number | undefined,
): boolean {
  if (at === 'start') return atStart;
  if (at === 'end') return code === undefined;
  const boundary = afterWord !== (code !== undefined && isWord(code));
  return boundary === (at === 'boundary');
}

function otherCases(code: number): readonly number[] {
  const character = String.fromCharCode(code);
  return [code, character.toLowerCase().charCodeAt(0), character.toUpperCase().charCodeAt(0)];
}
