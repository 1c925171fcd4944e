import type { ErrorValue } from '../../contract/errors.ts';
import type { Listing } from '../../contract/listing.ts';

/** How a listing is shown. */
export type ListingLook =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: ErrorValue }
  | { readonly kind: 'shown'; readonly notes: readonly string[] }
  | {
      readonly kind: 'stale';
      readonly notes: readonly string[];
      readonly since: string | undefined;
      readonly error: ErrorValue | undefined;
    };

/** Decides how a listing is shown. Items that are there are never hidden by something that failed. */
export function listingLook(
  listing: Listing<unknown> | undefined,
  error: ErrorValue | undefined,
): ListingLook {
  if (listing === undefined) return error === undefined ? { kind: 'loading' } : { kind: 'failed', error };
  const notes = listing.notes ?? [];
  const items = Object.keys(listing.items).length;
  const why = listing.error ?? error;
  if (listing.state === 'loading' && items === 0)
    return error === undefined ? { kind: 'loading' } : { kind: 'failed', error };
  if (listing.state === 'error' && items === 0 && why !== undefined) return { kind: 'failed', error: why };
  if (listing.state === 'stale' || listing.state === 'error')
    return { kind: 'stale', notes, since: listing.since, error: why };
  return { kind: 'shown', notes };
}
