import type { ErrorValue } from '../../contract/errors.ts';
import type { Listing } from '../../contract/listing.ts';
import type { ObjectsStatus } from './live-objects.ts';

/** One set of objects that a listing is made of. */
export interface ListingSource {
  /** Like `StatefulSets`. */
  readonly what: string;
  /** Undefined means all namespaces. */
  readonly namespace: string | undefined;
  readonly status: ObjectsStatus;
  /** Only adds to what the others list: without it the listing is not wrong, only poorer. */
  readonly side?: string | undefined;
}

export type ListingWords = Pick<Listing<never>, 'state' | 'since' | 'error' | 'notes'>;

/**
 * What a person has to know about a listing that comes from several sources. Loading until each has answered; an
 * error only when nothing could be read; a lost connection outweighs what is forbidden, and both are told.
 */
export function listingState(sources: readonly ListingSource[]): ListingWords {
  const main = sources.filter((source) => source.side === undefined);
  const notes = notesOf(sources);
  const told = notes.length === 0 ? {} : { notes };
  const unread = main.flatMap(({ status }) => (status.kind === 'unread' ? [status.error] : []));
  const [firstError] = worstFirst(unread);
  if (firstError !== undefined && unread.length === main.length) return { state: 'error', error: firstError };
  if (sources.some(({ status }) => status.kind === 'loading')) return { state: 'loading', ...told };
  const stale = sources.flatMap(({ status }) => (status.kind === 'stale' ? [status] : []));
  const [oldest] = stale.sort((a, b) => a.since.localeCompare(b.since));
  if (oldest !== undefined) return { state: 'stale', since: oldest.since, error: oldest.error, ...told };
  return { state: notes.length === 0 ? 'ready' : 'partial', ...told };
}

/** A cluster that does not answer says more than what may not be read in it. */
function worstFirst(errors: readonly ErrorValue[]): readonly ErrorValue[] {
  return [...errors].sort(
    (a, b) => Number(a.code === 'cluster.forbidden') - Number(b.code === 'cluster.forbidden'),
  );
}

function notesOf(sources: readonly ListingSource[]): readonly string[] {
  const byWords = new Map<string, { readonly names: string[]; readonly places: Set<string> }>();
  for (const { what, namespace, status, side } of sources) {
    if (status.kind !== 'unread') continue;
    const forbidden = status.error.code === 'cluster.forbidden';
    const words = JSON.stringify([forbidden ? '' : status.error.message, side ?? '', namespace ?? '']);
    const entry = byWords.get(words) ?? { names: [], places: new Set() };
    entry.names.push(what);
    byWords.set(words, entry);
  }
  return [...byWords].map(([words, { names }]) => {
    const [message = '', side = '', namespace = ''] = JSON.parse(words) as string[];
    const where = namespace === '' ? 'in all namespaces' : `in ${namespace}`;
    const list = enumerate(names);
    const what =
      message === ''
        ? `You may not list ${list} ${where}.`
        : `${list} ${where} could not be read: ${message}`;
    return side === '' ? what : `${what} ${side}`;
  });
}

function enumerate(names: readonly string[]): string {
  return names.length <= 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
