import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { state, stream } from '../../contract/define.ts';
import type { DownFrame, FramePort, UpFrame } from '../../contract/wire.ts';
import { systemClock, type Clock } from '../../main/base/clock.ts';
import { Store } from '../../main/base/store.ts';
import { createDispatcher } from '../../main/ipc/dispatcher.ts';
import type { StreamPeer } from '../../main/ipc/handlers.ts';
import { webSocketPort } from '../../main/ipc/websocket.ts';
import { createClient } from '../../renderer/ipc/remote-client.ts';
import { decodeDown, encodeUp } from '../../renderer/ipc/websocket-port.ts';
import { conditions } from '../support/machine.ts';
import type { Result } from '../support/result.ts';
import { median } from '../support/statistics.ts';
import type { Bench } from './bench.ts';

const messageBytes = 64 * 1024;
const messages = 8000;
const credit = 64;
const patches = 20_000;

const contract = {
  'bench.bytes': stream<Uint8Array>()(z.strictObject({}), z.never()),
  'bench.state': state<{ readonly items: Readonly<Record<string, { readonly count: number }>> }>()(
    z.strictObject({}),
  ),
} as const;

/** What the wire adds to a WebSocket: both ends in this process, over the loopback interface. */
export const wire: Bench = {
  name: 'wire',
  run: async ({ rounds }) => {
    const before = conditions();
    const raw: number[] = [];
    const own: number[] = [];
    for (let round = 0; round < Math.min(rounds, 5); round++) {
      raw.push(await rawMegabytes());
      own.push(await ownMegabytes());
    }
    const ratios = own.map((rate, round) => rate / (raw[round] ?? Number.NaN));
    const results: Result[] = [
      {
        what: 'bytes over the wire in messages of 64 KiB, both ends in one process',
        measured: `median ${median(own).toFixed(0)} MB/s`,
        against: `a plain WebSocket of the same library ${median(raw).toFixed(0)} MB/s (ratio ${median(ratios).toFixed(2)})`,
        conditions: before,
      },
      {
        what: 'patches of one entry in a state of 1,000, sent without their pause',
        measured: `${Math.round(await patchesPerSecond()).toLocaleString('en')} a second (difference, JSON, WebSocket and applying)`,
        conditions: before,
      },
    ];
    return results;
  },
};

interface Pair extends AsyncDisposable {
  readonly server: WebSocket;
  readonly client: WebSocket;
}

async function openPair(): Promise<Pair> {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(sockets, 'listening');
  const accepted = once(sockets, 'connection') as Promise<[WebSocket]>;
  const client = new WebSocket(`ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`);
  // As browsers give bytes.
  client.binaryType = 'arraybuffer';
  const [server] = await accepted;
  await once(client, 'open');
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      client.terminate();
      server.terminate();
      sockets.close();
    },
  };
}

async function rawMegabytes(): Promise<number> {
  await using pair = await openPair();
  const { server, client } = pair;
  const bytes = Buffer.alloc(messageBytes, 1);
  let received = 0;
  const all = new Promise<void>((resolve) => {
    client.on('message', () => {
      if (++received === messages) resolve();
    });
  });
  const started = performance.now();
  for (let sent = 0; sent < messages; sent++) {
    await new Promise<void>((resolve) => {
      if (server.bufferedAmount < 4 * 1024 * 1024) {
        server.send(bytes);
        resolve();
      } else server.send(bytes, () => resolve());
    });
  }
  await all;
  return rateOf(started);
}

function rateOf(started: number): number {
  return (messages * messageBytes) / 1e6 / ((performance.now() - started) / 1000);
}

async function ownMegabytes(): Promise<number> {
  await using pair = await openPair();
  const bytes = new Uint8Array(messageBytes).fill(1);
  const client = connect(
    pair,
    {
      'bench.bytes': async (_params: unknown, peer: StreamPeer<never, Uint8Array>) => {
        for (let sent = 0; sent < messages; sent++) await peer.send(bytes);
      },
    },
    systemClock,
  );
  const started = performance.now();
  await new Promise<void>((resolve, reject) => {
    const opened = client.open('bench.bytes' as never, {} as never, {
      credit,
      onMessage: () => opened.grant(1),
      onEnd: resolve,
      onError: (error) => reject(new Error(error.message)),
    });
  });
  return rateOf(started);
}

/** As often as it can: what paces patches for people is left out. */
async function patchesPerSecond(): Promise<number> {
  await using pair = await openPair();
  const items = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`item-${index}`, { count: 0 }]),
  );
  const store = new Store<{ readonly items: Readonly<Record<string, { readonly count: number }>> }>({
    items,
  });
  let now = 0;
  const eager: Clock = {
    ...systemClock,
    monotonic: () => (now += 1000),
    timer: (milliseconds, callback) => {
      if (milliseconds > 0) return systemClock.timer(milliseconds, callback);
      const immediate = setImmediate(callback);
      return { [Symbol.dispose]: () => clearImmediate(immediate) };
    },
  };
  const client = connect(pair, { 'bench.state': () => store }, eager);
  let count = 0;
  const bump = (): void =>
    store.update((value) => ({ items: { ...value.items, [`item-${count % 1000}`]: { count: ++count } } }));
  const started = performance.now();
  await new Promise<void>((resolve) => {
    client.watch('bench.state' as never, {} as never, () => {
      if (count >= patches) resolve();
      else bump();
    });
  });
  return patches / ((performance.now() - started) / 1000);
}

function connect(pair: Pair, handlers: Parameters<typeof createDispatcher>[0], clock: Clock) {
  const dispatcher = createDispatcher(handlers, { contract, clock, onBug: (error) => console.error(error) });
  dispatcher.connect(webSocketPort(pair.server, clock));
  const client = createClient();
  client.attach(windowPort(pair.client));
  return client;
}

/** The window's end as in a browser. */
function windowPort(socket: WebSocket): FramePort<UpFrame, DownFrame> {
  return {
    send: (frame) => socket.send(encodeUp(frame)),
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    onFrame(listener) {
      socket.on('message', (data: Buffer | ArrayBuffer) =>
        listener(decodeDown(data instanceof ArrayBuffer ? data : data.toString('utf8'))),
      );
    },
    onClose: (listener) => void socket.on('close', listener),
    close: () => socket.close(),
  };
}
