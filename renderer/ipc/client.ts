/** All that a feature needs to speak with main. */
export { ClientProvider, useAction, useClient, useRemote } from './hooks.tsx';
export { useConnection, useRefused } from './connection.ts';
export { RemoteError } from './remote-error.ts';
export type { Client } from './remote-client.ts';
