import { api } from '../../contract/api.ts';
import type { DownFrame, FramePort } from '../../contract/wire.ts';
import { WindowConnection, type AnyHandler, type Served } from './window-connection.ts';

export interface Dispatcher {
  /** Serves one window until the port closes; disposing closes it. */
  connect(port: FramePort<DownFrame, unknown>): Disposable;
}

/** Answers windows with handlers, one for each name of the contract; the same whatever they are connected by. */
export function createDispatcher(
  handlers: Readonly<Record<string, AnyHandler>>,
  options: Omit<Served, 'handlers' | 'contract'> & { readonly contract?: Served['contract'] },
): Dispatcher {
  const served: Served = { contract: api, ...options, handlers };
  return { connect: (port) => new WindowConnection(port, served) };
}
