import { dialBridge } from './bridge-port.ts';
import { keepConnected, type Connection } from './connection.ts';
import { createClient, type Client } from './remote-client.ts';
import { takeToken } from './token.ts';
import { dialWebSocket } from './websocket-port.ts';

/** Connects this window with main: over the desktop host's bridge where there is one, else with who served the page. */
export function startClient(): { readonly client: Client; readonly connection: Connection } {
  const client = createClient();
  if (window.slipway !== undefined)
    return { client, connection: keepConnected(client, dialBridge(window.slipway)) };
  takeToken(window);
  // A detached view was opened by another window of ours, from which it has its token. It needs no more of it, and
  // neither window shall reach into the other.
  window.opener = null;
  const url = `${window.location.origin.replace(/^http/, 'ws')}/wire`;
  const connection = keepConnected(
    client,
    dialWebSocket(url, () => takeToken(window)),
  );
  // A newly printed address that is opened in the same tab changes its fragment only, and loads nothing.
  window.addEventListener('hashchange', () => {
    if (window.location.hash.startsWith('#token=') && takeToken(window) !== undefined) connection.retry();
  });
  return { client, connection };
}
