import { useMemo, useSyncExternalStore } from 'react';
import { parseRoute, routeHash, type Route } from './route-hash.ts';

export { isDetached, type PageRoute, type Route, type SyncPart } from './route-hash.ts';

/** The route of one page, like `RouteOf<'session'>`. */
export type RouteOf<Page extends Route['page']> = Extract<Route, { readonly page: Page }>;

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** The page that is shown: the one that the address names, so that a reload stays on it. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return useMemo(() => parseRoute(hash), [hash]);
}

/** Goes to a page, as a click on a link to it does: Back returns. */
export function navigate(route: Route): void {
  location.hash = routeHash(route);
}

/** The address of a page, for links. */
export function hrefOf(route: Route): string {
  return routeHash(route);
}
