/** Scheme and host of everything that a window loads; one origin, which no other content can have. */
export const bundleScheme = 'app';
export const bundleHost = 'bundle';

/** The window's one page; a route is in its fragment. */
export const pageAddress = `${bundleScheme}://${bundleHost}/`;

/** Whether an address belongs to the app's own files. Parsed, never compared by its beginning. */
export function isBundleAddress(address: string): boolean {
  const url = parseAddress(address);
  return (
    url !== undefined &&
    url.protocol === `${bundleScheme}:` &&
    url.host === bundleHost &&
    url.username === '' &&
    url.password === ''
  );
}

/** Whether an address is the window's page, whatever its fragment: going there is a reload. */
export function isPageAddress(address: string): boolean {
  const url = parseAddress(address);
  return url !== undefined && isBundleAddress(address) && url.pathname === '/' && url.search === '';
}

function parseAddress(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}
