import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { DownFrame } from '../../../contract/wire.ts';

/** A window that is let in and says whatever it likes. */
export interface RawWindow extends Disposable {
  readonly received: readonly DownFrame[];
  /** How main closed the connection; undefined while it is open. */
  readonly closedWith: number | undefined;
  send(data: string | Uint8Array): void;
}

export async function openRawWindow(url: string): Promise<RawWindow> {
  const { host, hash } = new URL(url);
  const socket = new WebSocket(`ws://${host}/wire`, { origin: `http://${host}` });
  await once(socket, 'open');
  socket.send(JSON.stringify({ token: hash.replace('#token=', '') }));
  await once(socket, 'message');
  const received: DownFrame[] = [];
  let closedWith: number | undefined;
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) received.push(JSON.parse(data.toString('utf8')) as DownFrame);
  });
  socket.on('error', () => undefined);
  socket.on('close', (code) => (closedWith = code));
  return {
    received,
    get closedWith() {
      return closedWith;
    },
    send: (data) => socket.send(data),
    [Symbol.dispose]: () => socket.terminate(),
  };
}
