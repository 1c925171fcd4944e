import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';

/** Query parameters in order; the same name may occur more than once (`command`). Encoded by the transport. */
export type Query = readonly (readonly [name: string, value: string])[];

export interface TransportRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  /** Path below the server's address with its segments already encoded, see `api-paths.ts`. */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** `application/json` unless said otherwise. */
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  /** What error messages call the object of this request, for instance `Deployment shop/web`. */
  readonly subject?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WebSocketRequest {
  readonly path: string;
  readonly query: Query;
  /** Subprotocols in order of preference. */
  readonly protocols: readonly string[];
  readonly subject?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One cluster reached with one user's credentials: the only way to a server. Failures are `SlipwayError`s with
 * the server's own words as cause; an aborted signal rejects with the signal's reason.
 */
export interface KubeTransport extends AsyncDisposable {
  /** Address without a trailing slash, for messages. */
  readonly server: string;
  /** Sends, reads the whole answer (at most 64 MiB) and parses it. `timeoutMs` bounds everything, 15 s unless said otherwise. */
  json(options: TransportRequest & { readonly timeoutMs?: number | undefined }): Promise<unknown>;
  /** The same without parsing. */
  text(options: TransportRequest & { readonly timeoutMs?: number | undefined }): Promise<string>;
  /**
   * An answer of status 2xx, its body not read yet: reading it is what keeps it flowing. Bounded until the
   * headers have arrived and not afterwards; destroy the message, or abort the signal, to end it.
   */
  stream(options: TransportRequest & { readonly timeoutMs?: number | undefined }): Promise<IncomingMessage>;
  /**
   * An open WebSocket (handshake within 15 s, no compression, messages up to 64 MiB, text not checked for
   * UTF-8), paused: attach listeners, then call `resume()`. The signal bounds the handshake alone; the caller
   * closes what it got.
   */
  webSocket(options: WebSocketRequest): Promise<WebSocket>;
}
