import type { CharacterSet, Expression } from './expression-tree.ts';
import { parseExpression } from './expression-tree.ts';

/** States of the automaton of one expression: a repeated part counts as often as it may be repeated. */
const nodeLimit = 2000;
/** More copies of a part than this are left to the automaton and its limit. */
const cheapCopies = 8;
/** Sets of states, and their steps by characters beyond ASCII, that are remembered per expression. */
const rememberedSets = 1000;
const rememberedSteps = 256;

type Node =
  | { readonly kind: 'set'; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: 'split'; readonly next: readonly number[] }
  | { readonly kind: 'start' | 'end'; readonly next: number }
  | { readonly kind: 'accept' };

/** Whether an expression matches anywhere in a text, in time that grows with the text and not with its repetitions. */
export type TextTest = (text: string) => boolean;

export type LinearTest =
  | { readonly kind: 'test'; readonly test: TextTest }
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'too-large' };

/** Backtracking can take time that grows with a power of the text, or exponentially; this cannot. */
export function linearTest(source: string): LinearTest {
  const expression = parseExpression(source);
  if (expression === undefined) return { kind: 'unsupported' };
  if (isCheapToBacktrack(expression)) {
    const native = new RegExp(source, 'u');
    return { kind: 'test', test: (text) => native.test(text) };
  }
  const nodes: Node[] = [{ kind: 'accept' }];
  const start = build(expression, 0, nodes);
  if (start === undefined) return { kind: 'too-large' };
  const automaton = new Automaton(nodes, start);
  const required = requiredText(expression);
  return { kind: 'test', test: (text) => text.includes(required) && automaton.matches(text) };
}

/** The longest text that is part of every match: most paths of a tree lack it, which is found out at once. */
function requiredText(expression: Expression): string {
  let [longest, run] = ['', ''];
  const visit = (each: Expression): void => {
    if (each.kind === 'sequence') return each.parts.forEach(visit);
    const code = each.kind === 'set' ? onlyCharacter(each.set) : undefined;
    run = code === undefined ? '' : run + String.fromCodePoint(code);
    if (run.length > longest.length) longest = run;
  };
  visit(expression);
  return longest;
}

function onlyCharacter({ ranges, negated }: CharacterSet): number | undefined {
  const [range] = ranges;
  return !negated && ranges.length === 1 && range?.[0] === range?.[1] ? range?.[0] : undefined;
}

/** At most one part of unbounded length and few choices: the native engine is as good as linear, and faster. */
function isCheapToBacktrack(expression: Expression): boolean {
  const count = { unbounded: 0, choices: 0, nested: false };
  const visit = (each: Expression, repeated: boolean): void => {
    if (each.kind === 'sequence') for (const part of each.parts) visit(part, repeated);
    if (each.kind === 'choice') {
      count.choices += each.options.length;
      count.nested ||= repeated;
      for (const option of each.options) visit(option, repeated);
    }
    if (each.kind === 'repeat') {
      if (each.max === Infinity) count.unbounded++;
      else if (each.max !== each.min) count.choices += 2;
      const copies = each.max === Infinity ? each.min : each.max;
      count.nested ||= copies > cheapCopies || (repeated && each.max !== each.min);
      visit(each.part, repeated || each.max > 1);
    }
  };
  visit(expression, false);
  return count.unbounded <= 1 && count.choices <= 4 && !count.nested;
}

/** Adds the nodes of an expression that go on to `next`; gives the first one, or undefined when there are too many. */
function build(expression: Expression, next: number, nodes: Node[]): number | undefined {
  if (nodes.length > nodeLimit) return undefined;
  const add = (node: Node): number => nodes.push(node) - 1;
  switch (expression.kind) {
    case 'set':
      return add({ kind: 'set', set: expression.set, next });
    case 'start':
    case 'end':
      return add({ kind: expression.kind, next });
    case 'sequence': {
      let at: number | undefined = next;
      for (const part of expression.parts.toReversed()) at = at === undefined ? at : build(part, at, nodes);
      return at;
    }
    case 'choice': {
      const options = expression.options.map((option) => build(option, next, nodes));
      const known = options.filter((option) => option !== undefined);
      return known.length < options.length ? undefined : add({ kind: 'split', next: known });
    }
    case 'repeat':
      return buildRepeat(expression, next, nodes);
  }
}

function buildRepeat(
  { part, min, max }: Extract<Expression, { kind: 'repeat' }>,
  next: number,
  nodes: Node[],
): number | undefined {
  let at: number | undefined = next;
  if (max === Infinity) {
    const loop: number[] = [];
    const index = nodes.push({ kind: 'split', next: loop }) - 1;
    const inner = build(part, index, nodes);
    if (inner === undefined) return undefined;
    loop.push(inner, next);
    at = index;
  } else {
    for (let copy = min; copy < max; copy++) {
      const inner = build(part, at, nodes);
      if (inner === undefined) return undefined;
      // A part without a character is the same however often it is repeated.
      if (inner === at) break;
      at = nodes.push({ kind: 'split', next: [inner, next] }) - 1;
    }
  }
  for (let copy = 0; copy < min; copy++) {
    const inner = build(part, at, nodes);
    if (inner === undefined || inner === at) return inner;
    at = inner;
  }
  return at;
}

/** A set of nodes that the text so far can have led to, with the sets that follow it as far as they were needed. */
interface StateSet {
  readonly nodes: readonly number[];
  readonly accepts: boolean;
  acceptsAtEnd: boolean | undefined;
  readonly ascii: (StateSet | undefined)[];
  readonly others: Map<number, StateSet>;
}

/** Follows all ways through the nodes at once, and remembers where they lead. */
class Automaton {
  readonly #nodes: readonly Node[];
  readonly #first: number;
  #sets = new Map<string, StateSet>();
  readonly #begin: StateSet;

  constructor(nodes: readonly Node[], first: number) {
    this.#nodes = nodes;
    this.#first = first;
    this.#begin = this.#setOf(this.#closure([first], { atStart: true, atEnd: false }));
  }

  matches(text: string): boolean {
    let set = this.#begin;
    for (let index = 0; index < text.length && !set.accepts && set.nodes.length > 0; index++) {
      const code = text.codePointAt(index) ?? 0;
      if (code > 0xffff) index++;
      set = (code < 128 ? set.ascii[code] : set.others.get(code)) ?? this.#step(set, code);
    }
    if (set.accepts) return true;
    if (text === '') return this.#closure(set.nodes, { atStart: true, atEnd: true }).includes(0);
    set.acceptsAtEnd ??= this.#closure(set.nodes, { atStart: false, atEnd: true }).includes(0);
    return set.acceptsAtEnd;
  }

  #step(set: StateSet, code: number): StateSet {
    const reached: number[] = [this.#first];
    for (const index of set.nodes) {
      const node = this.#nodes[index];
      if (node?.kind === 'set' && contains(node.set, code)) reached.push(node.next);
    }
    const next = this.#setOf(this.#closure(reached, { atStart: false, atEnd: false }));
    if (code < 128) set.ascii[code] = next;
    else if (set.others.size < rememberedSteps) set.others.set(code, next);
    return next;
  }

  #setOf(nodes: readonly number[]): StateSet {
    const key = nodes.join();
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    if (this.#sets.size >= rememberedSets) {
      for (const set of [...this.#sets.values(), this.#begin]) {
        set.ascii.length = 0;
        set.others.clear();
      }
      this.#sets = new Map();
    }
    const set: StateSet = {
      nodes,
      accepts: nodes.includes(0),
      acceptsAtEnd: undefined,
      ascii: [],
      others: new Map(),
    };
    this.#sets.set(key, set);
    return set;
  }

  /** Everything that is reached without a character: nodes that wait for one, for the end, or accept. */
  #closure(
    from: readonly number[],
    { atStart, atEnd }: { readonly atStart: boolean; readonly atEnd: boolean },
  ): readonly number[] {
    const seen = new Set<number>();
    const pending = [...from];
    const kept: number[] = [];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      const node = this.#nodes[index];
      if (node === undefined) continue;
      if (node.kind === 'split') pending.push(...node.next);
      else if (node.kind === 'start') {
        if (atStart) pending.push(node.next);
      } else if (node.kind === 'end' && atEnd) pending.push(node.next);
      else kept.push(index);
    }
    return kept.sort((a, b) => a - b);
  }
}

function contains({ ranges, negated }: CharacterSet, code: number): boolean {
  return ranges.some(([from, to]) => code >= from && code <= to) !== negated;
}
