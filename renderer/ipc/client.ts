/** All that a feature needs to speak with main. */
export { ClientProvider, useAction, useClient, useRemote, type Action } from './hooks.tsx';
export { useConnection, useRefused, type ConnectionState } from './connection.ts';
export { RemoteError } from './remote-error.ts';
export type { Client, RemoteState, StreamHandle, StreamListener } from './remote-client.ts';
