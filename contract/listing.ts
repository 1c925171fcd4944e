import type { ErrorValue } from './errors.ts';

/**
 * A list that main keeps current, with what a person has to know about it. `partial`: something may not be seen, and
 * `notes` says what. `stale`: the connection is lost since `since`, and the items are from before. `error`: nothing
 * could be read.
 */
export interface Listing<Item> {
  readonly state: 'loading' | 'ready' | 'partial' | 'stale' | 'error';
  readonly items: Readonly<Record<string, Item>>;
  /** ISO 8601; of `stale`. */
  readonly since?: string | undefined;
  readonly error?: ErrorValue | undefined;
  /** A sentence each. */
  readonly notes?: readonly string[] | undefined;
}
