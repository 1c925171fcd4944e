import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import { WebSocketServer } from 'ws';
import { wireLimits, type DownFrame, type FramePort, type UpFrame } from '../../contract/wire.ts';
import { dialBridge } from '../../renderer/ipc/bridge-port.ts';
import { dialWebSocket } from '../../renderer/ipc/websocket-port.ts';
import { systemClock } from '../../main/base/clock.ts';
import { awaitToken } from '../../main/hosts/web/door.ts';
import type { Dispatcher } from '../../main/ipc/dispatcher.ts';
import { electronPort } from '../../main/ipc/electron-ipc.ts';
import { inProcessPorts } from '../../main/ipc/in-process.ts';
import { webSocketPort } from '../../main/ipc/websocket.ts';

type WindowPort = FramePort<UpFrame, DownFrame>;

/** A way from windows to main, as hosts have it. */
export interface Transport extends AsyncDisposable {
  /** Opens a connection as a new window does. */
  dial(): Promise<WindowPort>;
  /** Has main say how many bytes wait to leave; undefined where only a real connection knows. */
  readonly setBuffered?: (bytes: number) => void;
}

export type OpenTransport = (dispatcher: Dispatcher) => Promise<Transport>;

export const transports: Readonly<Record<string, OpenTransport>> = {
  'in process': openInProcess,
  'over a WebSocket': openWebSocket,
  'between processes': openBetweenProcesses,
};

async function openInProcess(dispatcher: Dispatcher): Promise<Transport> {
  const ends: ReturnType<typeof inProcessPorts>[] = [];
  return {
    dial: async () => {
      const pair = inProcessPorts();
      ends.push(pair);
      dispatcher.connect(pair.main);
      return pair.window;
    },
    setBuffered: (bytes) => {
      for (const { main } of ends) Object.assign(main, { bufferedBytes: bytes });
    },
    [Symbol.asyncDispose]: async () => {
      for (const { main } of ends) main.close();
    },
  };
}

/** Both ends as in a browser and its host, over a real connection. */
async function openWebSocket(dispatcher: Dispatcher): Promise<Transport> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, maxPayload: wireLimits.messageBytes });
  sockets.on('connection', (socket) =>
    awaitToken(socket, {
      token: 'secret',
      clock: systemClock,
      onLetIn: () => dispatcher.connect(webSocketPort(socket, systemClock)),
      onDone: () => undefined,
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    dial: dialWebSocket(`ws://127.0.0.1:${port}/wire`, () => 'secret'),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.close();
      await once(server, 'close');
    },
  };
}

/** As Electron does: what is sent is written as a structured clone, and read on the other side a turn later. */
async function openBetweenProcesses(dispatcher: Dispatcher): Promise<Transport> {
  const pages = new Set<() => void>();
  return {
    dial: async () => {
      let toWindow: ((frame: unknown) => void) | undefined;
      let toMain: ((frame: unknown) => void) | undefined;
      let gone: (() => void) | undefined;
      let isGone = false;
      const pass = (frame: unknown, deliver: () => ((frame: unknown) => void) | undefined): void => {
        const bytes = serialize(frame);
        setImmediate(() => {
          if (!isGone) deliver()?.(deserialize(bytes));
        });
      };
      const port = await dialBridge({
        send: (frame) => pass(frame, () => toMain),
        onFrame(listener) {
          toWindow = listener;
          return () => (toWindow = undefined);
        },
        // The first one comes before there is anything to forget.
        reset: () => {
          isGone = gone !== undefined;
          gone?.();
        },
      })();
      dispatcher.connect(
        electronPort({
          send: (frame) => pass(frame, () => toWindow),
          onMessage: (listener) => (toMain = listener),
          onClose: (listener) => (gone = listener),
        }),
      );
      pages.add(() => port.close());
      return port;
    },
    [Symbol.asyncDispose]: async () => {
      for (const close of pages) close();
    },
  };
}
