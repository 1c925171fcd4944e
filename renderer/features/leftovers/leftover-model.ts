import type { Leftover, LeftoverResult } from '../../../contract/leftovers.ts';

export type LeftoverRow = Leftover & { readonly key: string };
export type LeftoverAction = 'restore' | 'remove';

/** As many as main takes at once. */
export const mostAtOnce = 200;

/** What is left over, and what somebody runs elsewhere: the second is shown and never acted on. */
export function splitRows(rows: readonly LeftoverRow[]): {
  readonly left: readonly LeftoverRow[];
  readonly running: readonly LeftoverRow[];
} {
  return {
    left: rows.filter(({ state }) => state !== 'live'),
    running: rows.filter(({ state }) => state === 'live'),
  };
}

/** Those of the chosen ones that are still there. */
export function stillThere(
  chosen: ReadonlySet<string>,
  rows: readonly LeftoverRow[],
): readonly LeftoverRow[] {
  return rows.filter(({ key }) => chosen.has(key));
}

/** Why an action cannot be done to what is chosen; undefined when it can. */
export function reasonAgainst(
  action: LeftoverAction,
  chosen: readonly LeftoverRow[],
  readOnly: boolean,
): string | undefined {
  if (readOnly) return 'This cluster is read-only. Its guard is set under Settings, Clusters.';
  if (chosen.length === 0) return 'Choose some in the table first.';
  if (chosen.length > mostAtOnce) return `At most ${mostAtOnce} at once.`;
  if (chosen.some(({ can }) => can.includes(action))) return undefined;
  const [first] = chosen;
  return first?.cannot ?? `None of them can be ${action === 'restore' ? 'restored' : 'removed'}.`;
}

/** Those that an action is possible for: the others are said to stay. */
export function actionable(
  action: LeftoverAction,
  chosen: readonly LeftoverRow[],
): { readonly able: readonly LeftoverRow[]; readonly unable: readonly LeftoverRow[] } {
  return {
    able: chosen.filter(({ can }) => can.includes(action)),
    unable: chosen.filter(({ can }) => !can.includes(action)),
  };
}

/** A short word for the table, and the sentence behind it. */
export function stateText(row: Leftover): { readonly word: string; readonly sentence: string } {
  switch (row.state) {
    case 'live':
      return { word: 'Running', sentence: 'A process runs it now.' };
    case 'dead':
      return { word: 'Nobody runs it', sentence: 'Its Lease is not renewed any more.' };
    case 'no-lease':
      return row.tool === 'DevSpace'
        ? {
            word: 'No sign of life',
            sentence: 'DevSpace gives none, so nobody can tell whether it is in use.',
          }
        : { word: 'Lease is gone', sentence: 'Somebody removed its Lease.' };
    case 'ledger-only':
      return { word: 'Known here only', sentence: 'Only the note on this machine knows of it.' };
  }
}

export function whose(row: Pick<Leftover, 'user' | 'machine' | 'mine'>): string {
  if (row.user === '') return 'Not written down';
  return row.mine ? 'You' : row.user;
}

/** Like "3 leftovers". */
export function counted(count: number): string {
  return `${count} ${count === 1 ? 'leftover' : 'leftovers'}`;
}

export type Outcome = 'done' | 'partly' | 'failed';

export function outcomeOf(result: LeftoverResult): Outcome {
  if (result.error !== undefined) return 'failed';
  return result.remaining.length > 0 ? 'partly' : 'done';
}

/** Like "2 of 3 restored". */
export function resultTitle(action: LeftoverAction, results: readonly LeftoverResult[]): string {
  const done = results.filter((result) => outcomeOf(result) === 'done').length;
  const verb = action === 'restore' ? 'Restored' : 'Removed';
  if (done === results.length) return `${verb} ${counted(done)}`;
  return `${verb} ${done} of ${counted(results.length)}`;
}
