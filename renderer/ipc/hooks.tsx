import {
  useCallback,
  useContext,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import type { CallInputOf, MethodName, OutputOf, ParamsOf, StateName, ValueOf } from '../../contract/api.ts';
import type { ErrorValue } from '../../contract/errors.ts';
import { ClientContext } from './client-context.ts';
import type { Connection } from './connection.ts';
import { paramsKey } from './params-key.ts';
import type { Client, RemoteState } from './remote-client.ts';
import { RemoteError } from './remote-error.ts';

/** Gives the client to all below. */
export function ClientProvider({
  client,
  connection,
  children,
}: {
  readonly client: Client;
  readonly connection?: Connection | undefined;
  readonly children: ReactNode;
}) {
  const value = useMemo(() => ({ client, connection }), [client, connection]);
  return <ClientContext value={value}>{children}</ClientContext>;
}

export function useClient(): Client {
  const value = useContext(ClientContext);
  if (value === undefined) throw new Error('There is no ClientProvider above');
  return value.client;
}

const nothing: RemoteState<never> = { value: undefined, error: undefined };

/**
 * A state of main, watched while the component is there; without params nothing is. The value stays, and may be old,
 * while the connection is lost or an error is set.
 */
export function useRemote<Name extends StateName>(
  name: Name,
  params: ParamsOf<Name> | undefined,
): RemoteState<ValueOf<Name>> {
  const client = useClient();
  const key = params === undefined ? undefined : paramsKey(name, params);
  // The key says all that the params say, and stays equal when an equal object is made for each render.
  const current = useMemo(() => params, [key]);
  const subscribe = useCallback(
    (listener: () => void) => {
      if (current === undefined) return () => undefined;
      const watching = client.watch(name, current, listener);
      return () => watching[Symbol.dispose]();
    },
    [client, name, current],
  );
  return useSyncExternalStore(subscribe, () =>
    current === undefined ? nothing : client.latest(name, current),
  );
}

/** What a button needs to ask main for something. */
export interface Action {
  /** Resolves with undefined when it failed: `error` says why. */
  run<Name extends MethodName>(name: Name, input: CallInputOf<Name>): Promise<OutputOf<Name> | undefined>;
  readonly pending: boolean;
  readonly error: ErrorValue | undefined;
  clear(): void;
}

/** Runs calls for a component. They are not cancelled when it goes: what was asked for shall happen. */
export function useAction(): Action {
  const client = useClient();
  const [running, setRunning] = useState(0);
  const [error, setError] = useState<ErrorValue | undefined>(undefined);
  const latest = useRef(0);
  const run = useCallback(
    async <Name extends MethodName>(name: Name, input: CallInputOf<Name>) => {
      const turn = ++latest.current;
      setRunning((count) => count + 1);
      setError(undefined);
      try {
        return await client.call(name, input);
      } catch (failure) {
        if (!(failure instanceof RemoteError)) throw failure;
        // Of several that overlap, the latest one has the word; what was cancelled needs none.
        if (turn === latest.current && failure.value.code !== 'app.cancelled') setError(failure.value);
        return undefined;
      } finally {
        setRunning((count) => count - 1);
      }
    },
    [client],
  );
  const clear = useCallback(() => setError(undefined), []);
  return { run, pending: running > 0, error, clear };
}
