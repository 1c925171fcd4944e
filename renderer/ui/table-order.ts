/** What a column sorts by, and which way. */
export interface TableOrder {
  readonly column: string;
  readonly descending: boolean;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Rows in the order of a key; equal ones stay as they were, so that a live table does not shuffle. */
export function sortedRows<Row>(
  rows: readonly Row[],
  keyOf: ((row: Row) => string | number) | undefined,
  descending: boolean,
): readonly Row[] {
  if (keyOf === undefined) return rows;
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => sign * compareKeys(a.key, b.key));
  return keyed.map(({ row }) => row);
}

function compareKeys(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b);
  return typeof a === 'number' ? -1 : 1;
}

/** The order after a click on a column's head: first upwards, then downwards, then as the rows come. */
export function nextOrder(order: TableOrder | undefined, column: string): TableOrder | undefined {
  if (order?.column !== column) return { column, descending: false };
  return order.descending ? undefined : { column, descending: true };
}

/** Where a key moves the active row, or undefined when it moves nothing. */
export function movedRow(key: string, active: number, count: number, page: number): number | undefined {
  if (count === 0) return undefined;
  const last = count - 1;
  const at = (index: number) => Math.min(last, Math.max(0, index));
  switch (key) {
    case 'ArrowDown':
      return at(active + 1);
    case 'ArrowUp':
      return at(active - 1);
    case 'PageDown':
      return at(active + page);
    case 'PageUp':
      return at(active - page);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** The selection with everything between two rows added, both included. */
export function withRange(
  selected: ReadonlySet<string>,
  keys: readonly string[],
  from: number,
  to: number,
): ReadonlySet<string> {
  const next = new Set(selected);
  for (const key of keys.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(key);
  return next;
}

/** The selection with one row's state turned. */
export function toggled(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}
