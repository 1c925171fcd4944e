import type { DownFrame, FramePort, UpFrame, wireLimits } from '../../contract/wire.ts';
import { Refused, type Dial } from './connection.ts';
import { RemoteError, tooMuchValue } from './remote-error.ts';

const maximumBytes: (typeof wireLimits)['messageBytes'] = 1_048_576;
/** How main closes a connection whose token is wrong; see main/hosts/web. */
const refusedCode = 4401;
/** How long main may take to let the window in. */
const helloTimeoutMs = 10_000;

/** Connects to the host that served this page, as the one that `token` returns proves. */
export function dialWebSocket(url: string, token: () => string | undefined): Dial {
  return () =>
    new Promise((resolve, reject) => {
      const secret = token();
      if (secret === undefined) return reject(new Refused());
      const socket = new WebSocket(url);
      socket.binaryType = 'arraybuffer';
      const timeout = setTimeout(() => socket.close(), helloTimeoutMs);
      socket.onopen = () => socket.send(JSON.stringify({ token: secret }));
      socket.onclose = ({ code }) => {
        clearTimeout(timeout);
        reject(code === refusedCode ? new Refused() : new Error('The connection could not be opened.'));
      };
      // Its one first message says that the token is right.
      socket.onmessage = () => {
        clearTimeout(timeout);
        resolve(webSocketPort(socket));
      };
    });
}

function webSocketPort(socket: WebSocket): FramePort<UpFrame, DownFrame> {
  const onClose = new Set<() => void>();
  let listener: ((frame: DownFrame) => void) | undefined;
  /** What arrived before anyone listened. */
  let early: DownFrame[] = [];
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    const frame = decodeDown(data as string | ArrayBuffer);
    if (listener === undefined) early.push(frame);
    else listener(frame);
  };
  socket.onclose = () => {
    for (const tell of onClose) tell();
    onClose.clear();
  };
  return {
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    send(frame) {
      const data = encodeUp(frame);
      if (socket.readyState === WebSocket.OPEN) socket.send(data);
    },
    onFrame(next) {
      listener = next;
      const waiting = early;
      early = [];
      for (const frame of waiting) next(frame);
    },
    onClose: (tell) => void onClose.add(tell),
    close: () => socket.close(),
  };
}

/** JSON, but bytes of a stream as they are, after the stream's id. Throws what is too long for main to take. */
export function encodeUp(frame: UpFrame): string | Uint8Array<ArrayBuffer> {
  if (frame.t === 'data' && frame.payload instanceof Uint8Array) {
    const bytes = new Uint8Array(4 + frame.payload.length);
    if (bytes.length > maximumBytes) throw new RemoteError(tooMuchValue);
    new DataView(bytes.buffer).setUint32(0, frame.id);
    bytes.set(frame.payload, 4);
    return bytes;
  }
  const text = JSON.stringify(frame);
  const isLong = text.length > maximumBytes / 3;
  if (isLong && new TextEncoder().encode(text).length > maximumBytes) throw new RemoteError(tooMuchValue);
  return text;
}

export function decodeDown(data: string | ArrayBuffer): DownFrame {
  if (typeof data === 'string') return JSON.parse(data) as DownFrame;
  return { t: 'data', id: new DataView(data).getUint32(0), payload: new Uint8Array(data, 4) };
}
