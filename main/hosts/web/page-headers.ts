/** What the page may load: its own files, and one WebSocket to where it came from. `host` was judged before. */
function policy(host: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The terminal sets sizes and colours with inline styles; inline scripts are not allowed.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    // Not every browser takes the scheme of WebSockets for 'self'.
    `connect-src 'self' ws://${host}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Sent with every answer. */
export function pageHeaders(host: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': policy(host),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}
