import { Info } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import type { ErrorValue } from '../../contract/errors.ts';
import type { Listing } from '../../contract/listing.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorBox } from './error-box.tsx';
import { listingLook } from './listing-look.ts';
import { Skeleton } from './skeleton.tsx';
import styles from './notice.module.css';
import { Text } from './text.tsx';
import { Time } from './time.tsx';

interface ListingViewProps<Item> {
  readonly listing: Listing<Item> | undefined;
  /** Why the listing itself cannot be had. */
  readonly error?: ErrorValue | undefined;
  /** Why it is empty, and the one action that helps. */
  readonly empty: { readonly title: string; readonly text: string; readonly action?: ReactNode };
  readonly onRetry?: (() => void) | undefined;
  readonly children: (items: readonly (Item & { readonly key: string })[]) => ReactNode;
}

/**
 * Every state of a list in one place: a skeleton when it takes longer than a blink, why it is empty, what may not be
 * seen, since when it is old, and what stands against reading it. Items keep their identity while they stay the same.
 */
export function ListingView<Item extends object>({
  listing,
  error,
  empty,
  onRetry,
  children,
}: ListingViewProps<Item>) {
  const source = listing?.items;
  const [known] = useState(() => new WeakMap<object, Item & { readonly key: string }>());
  const items = useMemo(
    () => Object.entries(source ?? {}).map(([key, item]) => keyed(known, key, item)),
    [known, source],
  );
  const look = listingLook(listing, error);
  if (look.kind === 'loading') return <Skeleton />;
  if (look.kind === 'failed')
    return (
      <div className={styles['failed']}>
        <ErrorBox error={look.error} onRetry={onRetry} />
      </div>
    );
  return (
    <div className={styles['listing']} data-listing={look.kind}>
      {look.notes.length === 0 ? null : (
        <div className={styles['box']} data-tone="info" role="status">
          <Info aria-hidden className={styles['icon']} />
          <div className={styles['text']}>
            {look.notes.map((note, index) => (
              <p key={index}>
                <Text value={note} />
              </p>
            ))}
          </div>
        </div>
      )}
      {look.kind === 'stale' ? <Stale since={look.since} error={look.error} onRetry={onRetry} /> : null}
      {items.length === 0 ? <EmptyState {...empty} /> : children(items)}
    </div>
  );
}

function Stale({
  since,
  error,
  onRetry,
}: {
  readonly since: string | undefined;
  readonly error: ErrorValue | undefined;
  readonly onRetry: (() => void) | undefined;
}) {
  return (
    <div className={styles['box']} data-tone="warn" role="status">
      <Info aria-hidden className={styles['icon']} />
      <div className={styles['text']}>
        <p className={styles['message']}>
          {since === undefined ? (
            'What you see may be old: the connection is lost.'
          ) : (
            <>
              What you see is from <Time iso={since} style="clock" />: the connection is lost since then.
            </>
          )}
        </p>
        {error === undefined ? null : (
          <p>
            <Text value={`${error.message} ${error.next}`} />
          </p>
        )}
      </div>
      {onRetry === undefined ? null : (
        <Button small onClick={onRetry}>
          Try Again
        </Button>
      )}
    </div>
  );
}

/** The item with its key; the same object for the same item, so that rows that did not change stay as they are. */
function keyed<Item extends object>(
  known: WeakMap<object, Item & { readonly key: string }>,
  key: string,
  item: Item,
): Item & { readonly key: string } {
  const before = known.get(item);
  if (before?.key === key) return before;
  const next = { ...item, key };
  known.set(item, next);
  return next;
}
