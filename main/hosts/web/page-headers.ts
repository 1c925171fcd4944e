/**
 * What the page may load in either host: its own files and nothing from anywhere else. `host` is where its WebSocket
 * is, and was judged before; in Electron there is none.
 */
function policy(host: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The terminal sets sizes and colours with inline styles; inline scripts are not allowed.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    // Not every browser takes the scheme of WebSockets for 'self'.
    host === undefined ? "connect-src 'self'" : `connect-src 'self' ws://${host}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Sent with every answer of both hosts; with the `host` of the request by the one that has a WebSocket. */
export function pageHeaders(host?: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': policy(host),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}
