import { useEffect } from 'react';

/** Held by each window that shows the whole frame. */
export const frameLock = 'slipway.frame';

/** Held by each window that shows one terminal or log alone, by its address. */
export function detachedLock(hash: string): string {
  return `slipway.detached ${hash}`;
}

/**
 * Holds a lock of the browser as long as the component is there. Nobody waits for one: windows look at who holds what
 * to know of each other. A lock goes with its window, however that ends, in a browser and on the desktop alike, and is
 * known also to a window that was loaded anew, which a reference to the other window would not be.
 */
export function useHeldLock(name: string): void {
  useEffect(() => {
    const released = Promise.withResolvers<void>();
    navigator.locks?.request(name, { mode: 'shared' }, () => released.promise).catch(() => undefined);
    return () => released.resolve();
  }, [name]);
}

/** The locks that are held now by windows of this origin. */
export async function heldLocks(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return new Set(held.flatMap(({ name }) => name ?? []));
}
