/** How well a text answers what was typed, and which of its characters do. */
export interface Match {
  readonly score: number;
  readonly positions: readonly number[];
}

/** Characters that are looked at: longer queries and texts are nobody's. */
const mostQuery = 64;
const mostText = 256;

const perCharacter = 1;
const wordStart = 8;
const firstCharacter = 2;
const consecutive = 7;
const perGap = 0.3;
const mostGapCost = 3;
const perLengthUnused = 0.02;

/**
 * Matches what was typed against a text: every word of the query must be found, its characters in order. Starts of
 * words and unbroken stretches count most, so that "rp" finds "Restart Process" before "Group".
 */
export function scoreText(query: string, text: string): Match | undefined {
  const words = query.slice(0, mostQuery).toLowerCase().split(/\s+/u).filter(Boolean);
  const shown = text.slice(0, mostText);
  let score = 0;
  const positions = new Set<number>();
  for (const word of words) {
    const match = scoreWord([...word].join(''), shown);
    if (match === undefined) return undefined;
    score += match.score;
    for (const position of match.positions) positions.add(position);
  }
  score -= Math.max(0, shown.length - positions.size) * perLengthUnused;
  return { score, positions: [...positions].toSorted((a, b) => a - b) };
}

/** The best way to find a word's characters in order. Time: characters of the word times those of the text. */
function scoreWord(word: string, text: string): Match | undefined {
  const lower = text.toLowerCase();
  // A text whose lower case has another length cannot be compared place by place.
  const places = lower.length === text.length ? lower : text;
  if (!isSubsequence(word, places)) return undefined;
  const bonus = Array.from({ length: places.length }, (_, index) => startBonus(text, index));
  /** For each place: the best score of the word so far that ends there, and where its character before was found. */
  let scores = new Array<number>(places.length).fill(Number.NEGATIVE_INFINITY);
  const before: number[][] = [];
  for (let at = 0; at < word.length; at += 1) {
    const next = new Array<number>(places.length).fill(Number.NEGATIVE_INFINITY);
    const from = new Array<number>(places.length).fill(-1);
    for (let place = at; place < places.length; place += 1) {
      if (places[place] !== word[at]) continue;
      const base = perCharacter + (bonus[place] ?? 0);
      if (at === 0) {
        next[place] = base - Math.min(mostGapCost, place * perGap);
        continue;
      }
      for (let last = place - 1; last >= at - 1; last -= 1) {
        const reached = scores[last] ?? Number.NEGATIVE_INFINITY;
        if (reached === Number.NEGATIVE_INFINITY) continue;
        const gap = place - last - 1;
        const joined = gap === 0 ? Math.max(base, perCharacter + consecutive) : base;
        const candidate = reached + joined - Math.min(mostGapCost, gap * perGap);
        if (candidate > (next[place] ?? 0)) {
          next[place] = candidate;
          from[place] = last;
        }
      }
    }
    scores = next;
    before.push(from);
  }
  return traced(scores, before);
}

function traced(scores: readonly number[], before: readonly (readonly number[])[]): Match | undefined {
  let best = -1;
  for (const [place, score] of scores.entries())
    if (score > (best === -1 ? Number.NEGATIVE_INFINITY : (scores[best] ?? 0))) best = place;
  if (best === -1) return undefined;
  const positions: number[] = [];
  let place = best;
  for (let at = before.length - 1; at >= 0; at -= 1) {
    positions.unshift(place);
    place = before[at]?.[place] ?? -1;
  }
  return { score: scores[best] ?? 0, positions };
}

function startBonus(text: string, index: number): number {
  const here = text[index] ?? '';
  if (index === 0) return wordStart + firstCharacter;
  const last = text[index - 1] ?? '';
  if (/[\s\-_./:()]/u.test(last) && !/[\s\-_./:()]/u.test(here)) return wordStart;
  if (/\p{Ll}/u.test(last) && /\p{Lu}/u.test(here)) return wordStart;
  return 0;
}

function isSubsequence(word: string, text: string): boolean {
  let at = 0;
  for (let place = 0; place < text.length && at < word.length; place += 1)
    if (text[place] === word[at]) at += 1;
  return at === word.length;
}

/** Something that can be chosen from a palette. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  /** Is searched as well, and counts less: a group, a namespace. */
  readonly detail?: string | undefined;
}

export interface Ranked<Item extends Choice> {
  readonly item: Item;
  /** Characters of the label that were found. */
  readonly positions: readonly number[];
}

const mostRecent = 20;
const recencyWeight = 0.4;

/**
 * The choices that answer what was typed, best first; what was chosen lately comes before its equals. Without a query:
 * the recent ones first, then all in their own order.
 */
export function rankChoices<Item extends Choice>(
  items: readonly Item[],
  query: string,
  recent: readonly string[],
): readonly Ranked<Item>[] {
  const lately = new Map(recent.slice(0, mostRecent).map((id, index) => [id, mostRecent - index]));
  const scored = items.flatMap((item, index) => {
    const match = query.trim() === '' ? { score: 0, positions: [] } : scoreChoice(item, query);
    if (match === undefined) return [];
    const score = match.score + (lately.get(item.id) ?? 0) * recencyWeight;
    return [{ item, positions: match.positions, score, index }];
  });
  scored.sort((a, b) => b.score - a.score || a.index - b.index);
  return scored.map(({ item, positions }) => ({ item, positions }));
}

function scoreChoice(item: Choice, query: string): Match | undefined {
  const own = scoreText(query, item.label);
  if (own !== undefined || item.detail === undefined) return own;
  const both = scoreText(query, `${item.label} ${item.detail}`);
  if (both === undefined) return undefined;
  return {
    score: both.score - wordStart,
    positions: both.positions.filter((position) => position < item.label.length),
  };
}

/** What was chosen lately, the latest first, each once. */
export function remembered(recent: readonly string[], id: string): readonly string[] {
  return [id, ...recent.filter((other) => other !== id)].slice(0, mostRecent);
}
