import { createHash } from 'node:crypto';
import { clusterColors, type ClusterColor, type Guard } from '../../contract/settings.ts';

/** Those that are given by themselves: red says danger, and is for the user to choose. */
const calmColors = clusterColors.filter((color) => color !== 'red');

/** Something with a name that gets a look of its own. */
export interface Named {
  readonly id: string;
  readonly context: string;
}

export interface Look {
  readonly initials: string;
  readonly color: ClusterColor;
}

/**
 * Two characters and a colour for each, derived from the name alone as long as nobody before it has the same.
 * Initials stay distinct; colours do while there are enough of them.
 */
export function chooseLooks(clusters: readonly Named[]): ReadonlyMap<string, Look> {
  const looks = new Map<string, Look>();
  const initials = new Set<string>();
  const colors = new Set<ClusterColor>();
  for (const { id, context } of clusters) {
    const look = { initials: freeInitials(context, initials), color: freeColor(context, colors) };
    initials.add(look.initials);
    colors.add(look.color);
    if (colors.size === calmColors.length) colors.clear();
    looks.set(id, look);
  }
  return looks;
}

function freeInitials(context: string, taken: ReadonlySet<string>): string {
  for (const candidate of initialCandidates(shortName(context))) if (!taken.has(candidate)) return candidate;
  return '?';
}

/** From the most telling to ones that only differ. */
function* initialCandidates(name: string): Generator<string> {
  const words = wordsOf(name).map((word) => [...word.toUpperCase()]);
  const [first = ['?'], second] = words;
  const lead = first[0] ?? '?';
  if (second?.[0] !== undefined) yield lead + second[0];
  for (const letter of first.slice(1)) yield lead + letter;
  for (const word of words.slice(1)) for (const letter of word) yield lead + letter;
  yield lead;
  for (let number = 2; number < 100; number++) yield `${lead}${number}`;
}

function freeColor(context: string, taken: ReadonlySet<ClusterColor>): ClusterColor {
  const start = createHash('sha256').update(context).digest().readUInt32BE(0) % calmColors.length;
  const inOrder = [...calmColors.slice(start), ...calmColors.slice(0, start)];
  return inOrder.find((color) => !taken.has(color)) ?? inOrder[0] ?? 'slate';
}

/** What a person would call it: cloud tools put account, region and user before it. */
function shortName(context: string): string {
  const withoutArn = /^arn:[^/]*\/(.+)$/.exec(context)?.[1] ?? context;
  const withoutGke = /^gke_[^_]+_[^_]+_(.+)$/.exec(withoutArn)?.[1] ?? withoutArn;
  return /^[^@]+@(.+)$/.exec(withoutGke)?.[1] ?? withoutGke;
}

function wordsOf(name: string): readonly string[] {
  return name.match(/\p{L}+|\p{N}+/gu) ?? [];
}

const production = new Set(['prod', 'production', 'prd', 'live']);
const before = new Set(['pre', 'non', 'not', 'no']);

/**
 * The guard that a name suggests, for the user to choose or not: `read-only` for production, `confirm` for what
 * stands just before it.
 */
export function suggestGuard(...names: readonly string[]): Guard | undefined {
  const guards = names.map(suggestForName);
  return guards.find((guard) => guard === 'read-only') ?? guards.find((guard) => guard === 'confirm');
}

function suggestForName(name: string): Guard | undefined {
  const words = wordsOf(name.toLowerCase());
  for (const [index, word] of words.entries()) {
    const previous = words[index - 1] ?? '';
    if (word === 'preprod' || (production.has(word) && previous === 'pre')) return 'confirm';
    if (production.has(word) && !before.has(previous)) return 'read-only';
  }
  return undefined;
}
