import { useContext, useSyncExternalStore } from 'react';
import type { DownFrame, FramePort, UpFrame } from '../../contract/wire.ts';
import { ClientContext } from './client-context.ts';
import type { AttachableClient } from './remote-client.ts';

/** `connecting`: the first time. `lost`: there was a connection, or the first try failed; it is tried again. */
export type ConnectionState = 'open' | 'lost' | 'connecting';

/** Opens one connection. Rejects with {@link Refused} when another try would be refused as well. */
export type Dial = () => Promise<FramePort<UpFrame, DownFrame>>;

/** Main answers and does not let this window in: its token is missing, or that of an earlier run. */
export class Refused extends Error {
  constructor() {
    super('Slipway does not know this window.');
    this.name = 'Refused';
  }
}

export interface Connection extends Disposable {
  readonly state: ConnectionState;
  /** Nothing is tried any more until `retry`: see {@link Refused}. */
  readonly refused: boolean;
  subscribe(listener: () => void): () => void;
  /** Tries again at once. */
  retry(): void;
}

const firstDelayMs = 200;
const longestDelayMs = 3000;

/** How long to wait before the try after `failures` ones in a row; `random` spreads windows that lost the same main. */
export function reconnectDelayMs(failures: number, random: number): number {
  const full = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, failures - 1));
  return Math.max(firstDelayMs, full * (0.7 + 0.3 * random));
}

/** Keeps the client connected until disposed. */
export function keepConnected(client: AttachableClient, dial: Dial, random = Math.random): Connection {
  const listeners = new Set<() => void>();
  let state: ConnectionState = 'connecting';
  let refused = false;
  let failures = 0;
  let disposed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let port: FramePort<UpFrame, DownFrame> | undefined;
  let dialling = false;

  function become(next: ConnectionState, isRefused = false): void {
    if (state === next && refused === isRefused) return;
    state = next;
    refused = isRefused;
    for (const listener of [...listeners]) listener();
  }

  function later(): void {
    failures += 1;
    timer = setTimeout(() => void tryOnce(), reconnectDelayMs(failures, random()));
  }

  async function tryOnce(): Promise<void> {
    if (dialling || disposed || port !== undefined) return;
    clearTimeout(timer);
    dialling = true;
    try {
      opened(await dial());
    } catch (error) {
      client.detach();
      const isRefused = error instanceof Refused;
      become('lost', isRefused);
      if (!isRefused && !disposed) later();
    } finally {
      dialling = false;
    }
  }

  function opened(next: FramePort<UpFrame, DownFrame>): void {
    if (disposed) return next.close();
    port = next;
    const since = performance.now();
    client.attach(next);
    next.onClose(() => {
      if (port !== next) return;
      port = undefined;
      // One that ends at once again and again must not be dialled again and again.
      if (performance.now() - since > longestDelayMs) failures = 0;
      become('lost');
      if (!disposed) later();
    });
    become('open');
  }

  void tryOnce();
  return {
    get state() {
      return state;
    },
    get refused() {
      return refused;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retry() {
      failures = 0;
      void tryOnce();
    },
    [Symbol.dispose]() {
      disposed = true;
      clearTimeout(timer);
      const last = port;
      port = undefined;
      last?.close();
    },
  };
}

/** Whether main can be asked at present. */
export function useConnection(): ConnectionState {
  const connection = useContext(ClientContext)?.connection;
  return useSyncExternalStore(
    (listener) => connection?.subscribe(listener) ?? (() => undefined),
    () => connection?.state ?? 'open',
  );
}

/** Whether main is there and does not know this window: only the address that it printed helps then. */
export function useRefused(): boolean {
  const connection = useContext(ClientContext)?.connection;
  return useSyncExternalStore(
    (listener) => connection?.subscribe(listener) ?? (() => undefined),
    () => connection?.refused ?? false,
  );
}
