/** What of a request says where it comes from. */
export interface RequestOrigin {
  readonly method: string;
  /** The request target as it was sent. */
  readonly target: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** A request to become a WebSocket. */
  readonly isUpgrade: boolean;
}

export type Verdict =
  | { readonly kind: 'allowed'; readonly host: string }
  | { readonly kind: 'refused'; readonly status: 400 | 403 | 404 | 405; readonly why: string };

/** Where the WebSocket is. */
export const wirePath = '/wire';
const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether a request may be answered. The name in Host must be one of this machine's own: a page on the internet can
 * make its name point here, and then Host has that name. Origin must be ours where there is one; a WebSocket, which no
 * browser opens without it and which the same-origin rule does not hold back, must have one.
 */
export function judgeRequest(request: RequestOrigin, port: number): Verdict {
  const host = request.host?.toLowerCase();
  if (host === undefined || !loopbackNames.some((name) => isHost(host, name, port)))
    return refused(403, 'Host is not a name of this machine with this port.');
  const { origin } = request;
  if (origin === undefined ? request.isUpgrade : origin !== `http://${host}`)
    return refused(403, 'Origin is another page.');
  if (request.isUpgrade) {
    if (request.method !== 'GET' || request.target !== wirePath)
      return refused(404, 'There is nothing to connect to.');
  } else if (request.method !== 'GET' && request.method !== 'HEAD')
    return refused(405, 'Only GET and HEAD are answered.');
  if (!request.target.startsWith('/')) return refused(400, 'The target is not a path.');
  return { kind: 'allowed', host };
}

function isHost(host: string, name: string, port: number): boolean {
  return host === `${name}:${port}` || (port === 80 && host === name);
}

function refused(status: 400 | 403 | 404 | 405, why: string): Verdict {
  return { kind: 'refused', status, why };
}
