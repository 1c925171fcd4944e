const storageKey = 'slipway.token';

/**
 * The token that `slipway serve` printed with the address. It is taken out of the address at once, so that it gets
 * into no history, bookmark or screenshot, and kept for reloads of this tab alone.
 */
export function takeToken(page: Pick<Window, 'location' | 'history' | 'sessionStorage'>): string | undefined {
  const found = /^#token=([\w-]+)$/.exec(page.location.hash)?.[1];
  if (found !== undefined) {
    page.sessionStorage.setItem(storageKey, found);
    page.history.replaceState(null, '', page.location.pathname + page.location.search);
  }
  return found ?? page.sessionStorage.getItem(storageKey) ?? undefined;
}
