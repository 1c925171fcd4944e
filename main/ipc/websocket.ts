import type { RawData, WebSocket } from 'ws';
import type { DownFrame, FramePort } from '../../contract/wire.ts';
import type { Clock } from '../base/clock.ts';

/** How often a window is asked whether it is there; one that has not answered by the next time is gone. */
const pingEveryMs = 15_000;
/** How long a window may take to close; what waits for it is kept no longer. */
const farewellMs = 1000;

/**
 * A port over a WebSocket whose window has been let in. Frames are JSON; bytes of a stream travel as they are in a
 * binary message, after the stream's id in four bytes, the highest first. What cannot be read is handed on as
 * undefined, for the dispatcher to refuse.
 */
export function webSocketPort(socket: WebSocket, clock: Clock): FramePort<DownFrame, unknown> {
  const onClose = new Set<() => void>();
  const stopBeating = beat(socket, clock);
  // A failure is followed by `close`.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    stopBeating();
    for (const listener of onClose) listener();
    onClose.clear();
  });
  return {
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    send(frame) {
      if (socket.readyState !== socket.OPEN) return;
      if (frame.t === 'data' && frame.payload instanceof Uint8Array)
        socket.send(bytesFrame(frame.id, frame.payload), { binary: true });
      else socket.send(JSON.stringify(frame), { binary: false });
    },
    onFrame(listener) {
      socket.on('message', (data: RawData, isBinary) => listener(readUp(data, isBinary)));
    },
    onClose: (listener) => void onClose.add(listener),
    close() {
      socket.close(1001);
      const cut = clock.timer(farewellMs, () => socket.terminate());
      socket.once('close', () => cut[Symbol.dispose]());
    },
  };
}

function bytesFrame(id: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(4 + payload.length);
  frame.writeUInt32BE(id);
  frame.set(payload, 4);
  return frame;
}

function readUp(data: RawData, isBinary: boolean): unknown {
  if (!Buffer.isBuffer(data)) return undefined;
  if (isBinary) {
    if (data.length < 4) return undefined;
    return { t: 'data', id: data.readUInt32BE(), payload: new Uint8Array(data.subarray(4)) };
  }
  try {
    return JSON.parse(data.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** A peer that is gone without a word, as after a sleep or a crash, holds what it had open until this notices. */
function beat(socket: WebSocket, clock: Clock): () => void {
  let heard = true;
  let unsentBytes = 0;
  const isAlive = (): void => {
    heard = true;
  };
  socket.on('pong', isAlive);
  socket.on('message', isAlive);
  let timer = clock.timer(pingEveryMs, onBeat);
  function onBeat(): void {
    // An answer waits behind what was sent before: while that moves, there is somebody.
    const moves = socket.bufferedAmount < unsentBytes;
    if (!heard && !moves) return socket.terminate();
    heard = false;
    unsentBytes = socket.bufferedAmount;
    if (socket.readyState === socket.OPEN) socket.ping();
    timer = clock.timer(pingEveryMs, onBeat);
  }
  return () => timer[Symbol.dispose]();
}
