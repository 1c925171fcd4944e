import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { UpFrame } from '../../contract/wire.ts';
import { createClient, type Client } from '../../renderer/ipc/remote-client.ts';
import { decodeDown, encodeUp } from '../../renderer/ipc/websocket-port.ts';

/** Asks an app as its window does, at the address that `slipway serve` has printed. */
export async function connectToApp(url: string): Promise<{ readonly client: Client } & Disposable> {
  const { host, hash } = new URL(url);
  const socket = new WebSocket(`ws://${host}/wire`, { origin: `http://${host}` });
  socket.binaryType = 'arraybuffer';
  await once(socket, 'open');
  socket.send(JSON.stringify({ token: hash.replace('#token=', '') }));
  await once(socket, 'message');
  const client = createClient({ lingerMs: 0 });
  client.attach({
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    send: (frame: UpFrame) => socket.send(encodeUp(frame)),
    onFrame: (listener) =>
      socket.on('message', (data: Buffer | ArrayBuffer, isBinary) =>
        listener(decodeDown(isBinary ? (data as ArrayBuffer) : Buffer.from(data as ArrayBuffer).toString())),
      ),
    onClose: (listener) => socket.on('close', listener),
    close: () => socket.close(),
  });
  return { client, [Symbol.dispose]: () => socket.terminate() };
}
