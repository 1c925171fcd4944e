import type { ErrorValue } from '../../contract/errors.ts';
import type { Leftover } from '../../contract/leftovers.ts';
import type { Listing } from '../../contract/listing.ts';
import { leftOutNote } from '../kube/readable-object.ts';
import type { LeftoverList } from '../session/session.ts';
import type { FoundReplacements } from './find-replacements.ts';
import { leftoverKey, type FoundLeftover } from './found-leftover.ts';
import { presentLeftover, shorten } from './present-leftover.ts';

/** What one look at a cluster found. */
export interface Look {
  readonly sessions: LeftoverList;
  readonly replacements: FoundReplacements;
}

/** More are not sent to a window. */
export const maximumShown = 2000;
/** Namespaces that are named in a note. */
const maximumNamed = 5;

/** Everything of a look by its key, without the sessions that this process runs itself. */
export function foundIn(look: Look, own: ReadonlySet<string>): ReadonlyMap<string, FoundLeftover> {
  const found: FoundLeftover[] = [
    ...look.sessions.items
      .filter((session) => !own.has(session.session))
      .map((session): FoundLeftover => ({ kind: 'session', session })),
    ...look.replacements.items.map((replacement): FoundLeftover => ({ kind: 'replacement', replacement })),
  ];
  return new Map(found.map((item) => [leftoverKey(item), item]));
}

/** As a window sees it; items that are the same as before are the same objects. */
export function listingOf(
  look: Look,
  own: ReadonlySet<string>,
  before: Listing<Leftover> | undefined,
): Listing<Leftover> {
  const all = [...foundIn(look, own)];
  const items = Object.fromEntries(
    all
      .slice(0, maximumShown)
      .map(([key, found]) => [key, sameAs(before?.items[key], presentLeftover(found))]),
  );
  const notes = notesOf(look, all.length);
  return notes.length === 0
    ? { state: 'ready', items: sameAs(before?.items, items) }
    : { state: 'partial', items: sameAs(before?.items, items), notes };
}

/** After a look that failed: what was known stays, and is said to be old. */
export function failedListing(
  before: Listing<Leftover>,
  error: ErrorValue,
  lastLookAt: string | undefined,
): Listing<Leftover> {
  if (lastLookAt === undefined) return { state: 'error', items: {}, error };
  const { items, notes } = before;
  return { state: 'stale', items, since: lastLookAt, error, ...(notes === undefined ? {} : { notes }) };
}

/** How many nobody runs any more; undefined while that is not known. */
export function countOf(listing: Listing<Leftover>): number | undefined {
  if (listing.state === 'loading' || listing.state === 'error') return undefined;
  return Object.values(listing.items).filter((item) => item.state !== 'live').length;
}

function notesOf({ sessions, replacements }: Look, count: number): readonly string[] {
  const notes: string[] = [];
  if (sessions.unseen.length > 0) {
    const names = sessions.unseen.map(({ namespace }) => namespace);
    notes.push(
      `You may not look for sessions in ${named(names)}: ${shorten(sessions.unseen[0]?.reason ?? '')}`,
    );
  }
  if (sessions.namespaces !== 'all') {
    const { namespaces } = sessions;
    notes.push(
      namespaces.length === 0
        ? 'There is no namespace that you may look into.'
        : `You may not look into the whole cluster; these were looked into: ${named(namespaces)}.`,
    );
  }
  if (replacements.unseen.length > 0) {
    const names = replacements.unseen.map((name) => (name === '*' ? 'the whole cluster' : name));
    notes.push(
      `You may not list every kind of workload, so what DevSpace left in ${named(names)} may be missing.`,
    );
  }
  const leftOut = leftOutNote([...sessions.unreadable, ...replacements.unreadable].map(shorten));
  if (leftOut !== undefined) notes.push(leftOut);
  if (replacements.truncated || count > maximumShown) {
    notes.push('There are more than can be shown: act on these first, then look again.');
  }
  return notes;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, maximumNamed).join(', ');
  const more = names.length - maximumNamed;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** The former value where it says the same, so that a change is told only where there is one. */
function sameAs<Value>(before: Value | undefined, now: Value): Value {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
