import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { stream } from '../../contract/define.ts';
import type { DownFrame, FramePort } from '../../contract/wire.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { systemClock } from '../base/clock.ts';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { createDispatcher } from './dispatcher.ts';
import type { StreamPeer } from './handlers.ts';
import { streamsWaitAboveBytes } from './stream-channel.ts';
import { webSocketPort } from './websocket.ts';

const contract = { 'test.flood': stream<Uint8Array>()(z.strictObject({}), z.never()) };
const chunk = new Uint8Array(64 * 1024).fill(1);

describe('a window at a WebSocket', () => {
  let server: Server;
  let sockets: WebSocketServer;
  let window: WebSocket;
  let accept: (socket: WebSocket) => void;

  beforeEach(async () => {
    server = createServer();
    sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => accept(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    window.terminate();
    for (const socket of sockets.clients) socket.terminate();
    server.close();
    await once(server, 'close');
  });
  async function dial(onSocket: (socket: WebSocket) => void): Promise<void> {
    const accepted = new Promise<void>((resolve) => {
      accept = (socket) => {
        onSocket(socket);
        resolve();
      };
    });
    window = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await once(window, 'open');
    await accepted;
  }

  it('that does not read pauses the sender, whatever credit it has given', async () => {
    let sent = 0;
    let port: FramePort<DownFrame, unknown> | undefined;
    const flood = async (_params: unknown, peer: StreamPeer<unknown, unknown>) => {
      for (;;) {
        await peer.send(chunk);
        sent += 1;
      }
    };
    const dispatcher = createDispatcher(
      { 'test.flood': flood },
      { contract, clock: systemClock, onBug: () => undefined },
    );
    await dial((socket) => dispatcher.connect((port = webSocketPort(socket, systemClock))));
    window.pause();
    window.send(JSON.stringify({ t: 'open', id: 1, name: 'test.flood', params: {}, credit: 1024 }));
    await eventually(() => expect(port?.bufferedBytes).toBeGreaterThan(streamsWaitAboveBytes));
    const before = sent;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sent).toBe(before);
    expect(port?.bufferedBytes).toBeLessThan(streamsWaitAboveBytes + 2 * chunk.length);
    expect(sent).toBeLessThan(1024);
    let received = 0;
    window.on('message', () => (received += 1));
    window.resume();
    await eventually(() => expect([sent, received]).toEqual([1024, 1024]));
  });

  it('hands on what cannot be read as nothing', async () => {
    const frames: unknown[] = [];
    await dial((socket) => webSocketPort(socket, systemClock).onFrame((frame) => frames.push(frame)));
    for (const data of ['', '{', 'nonsense', '\u0000']) window.send(data);
    window.send(Buffer.from([1, 2, 3]));
    window.send(Buffer.from([0, 0, 1, 0, 9, 8]));
    window.send(Buffer.from('{"t":"cancel","id":1}'));
    await eventually(() => expect(frames).toHaveLength(7));
    expect(frames.slice(0, 5)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(frames[5]).toEqual({ t: 'data', id: 256, payload: new Uint8Array([9, 8]) });
    expect(frames[6]).toMatchObject({ t: 'data' });
  });

  it('that answers pings stays, and one that does not is closed', async () => {
    const clock = createFakeClock();
    let closed = false;
    await dial((socket) => webSocketPort(socket, clock).onClose(() => (closed = true)));
    for (let beat = 0; beat < 3; beat += 1) {
      const pinged = once(window, 'ping');
      void clock.advance(15_000);
      await pinged;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(closed).toBe(false);
    window.pause();
    await clock.advance(15_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(closed).toBe(false);
    await clock.advance(15_000);
    await eventually(() => expect(closed).toBe(true));
  });
});
