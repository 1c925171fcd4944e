import type { ServerVersion } from '../kube.ts';

/** How a stream into a pod is opened: a WebSocket handshake is a GET, a SPDY upgrade is a POST. */
export type StreamTransport = 'websocket' | 'spdy';
export type StreamVerb = 'get' | 'create';

/** First minor version whose API server asks for `create` too when a WebSocket is opened. */
const createCheckedFrom = 35;

export interface StreamVerbsQuestion {
  readonly version: Pick<ServerVersion, 'major' | 'minor'>;
  readonly transport: StreamTransport;
  /** The server's gate AuthorizePodWebsocketUpgradeCreatePermission: on by default since it exists. */
  readonly createGate?: boolean | undefined;
}

/**
 * Verbs that a user needs on `pods/exec`, `pods/attach` and `pods/portforward`. Servers derive the verb from the
 * HTTP method, so a WebSocket needs `get`, and from 1.35 `create` as well unless the gate is switched off.
 */
export function requiredStreamVerbs({
  version,
  transport,
  createGate = true,
}: StreamVerbsQuestion): readonly StreamVerb[] {
  if (transport === 'spdy') return ['create'];
  const checked = version.major > 1 || (version.major === 1 && version.minor >= createCheckedFrom);
  return checked && createGate ? ['get', 'create'] : ['get'];
}
