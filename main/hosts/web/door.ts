import { createHash, timingSafeEqual } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../base/clock.ts';

/** How long a window may take to show its token. */
const knockWithinMs = 5000;
/** Longest first message: a token with its wrapping, and nothing else. */
const maximumKnockBytes = 256;
/** How long whoever is refused may take to close; then the connection is cut, so that nobody holds a place by silence. */
const farewellMs = 500;
/** Tells a window that another try with the same token is of no use. */
const refusedCode = 4401;

/**
 * Waits for the one message that lets a window in, `{"token": "…"}`, and answers `{"ok":true}`. Whoever says anything
 * else, or nothing in time, is closed with 4401. `onLetIn` is called within the message's own turn, so whatever follows is
 * its to hear; `onDone` in any case, once.
 */
export function awaitToken(
  socket: WebSocket,
  options: {
    readonly token: string;
    readonly clock: Clock;
    readonly onLetIn: () => void;
    readonly onDone: () => void;
  },
): void {
  const { token, clock, onLetIn, onDone } = options;
  const refuse = (why: string): void => {
    socket.close(refusedCode, why);
    const cut = clock.timer(farewellMs, () => socket.terminate());
    socket.once('close', () => cut[Symbol.dispose]());
  };
  const timeout = clock.timer(knockWithinMs, () => refuse('No token in time.'));
  let isDone = false;
  const done = (): void => {
    if (isDone) return;
    isDone = true;
    timeout[Symbol.dispose]();
    onDone();
  };
  // A failure is followed by `close`.
  socket.on('error', () => undefined);
  socket.once('close', done);
  socket.once('message', (data: RawData, isBinary) => {
    if (isDone) return;
    if (isBinary || !Buffer.isBuffer(data) || !isToken(readToken(data), token)) {
      timeout[Symbol.dispose]();
      return refuse('Wrong token.');
    }
    done();
    socket.send('{"ok":true}');
    onLetIn();
  });
}

function readToken(data: Buffer): string | undefined {
  if (data.length > maximumKnockBytes) return undefined;
  try {
    const message: unknown = JSON.parse(data.toString('utf8'));
    if (typeof message !== 'object' || message === null || !Object.hasOwn(message, 'token')) return undefined;
    const { token } = message as { readonly token: unknown };
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}

/** Takes as long for a token that is nearly right as for any other. */
function isToken(given: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given ?? ''), digest(token)) && given !== undefined;
}
