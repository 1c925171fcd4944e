import { Duplex } from 'node:stream';
import type { HelperProcess } from './helper-process.ts';

/**
 * A helper's exec stream as the one Duplex that an HTTP/2 session wants. It never fails a write: Node's HTTP/2
 * asserts when a write of a session fails after the peer died. What comes after the end is swallowed, the readable
 * side ends, and whoever owns the session destroys it then.
 */
export function streamDuplex(process: HelperProcess, onBytes: () => void): Duplex {
  const { stdout } = process.stream;
  const duplex = new Duplex({
    read: () => void stdout.resume(),
    write: (chunk: Buffer, _encoding, done) => {
      process.write(chunk, () => done());
    },
    final: (done) => done(),
    destroy: (_error, done) => done(null),
  });
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    duplex.push(null);
  };
  stdout.pause();
  stdout.on('data', (chunk: Buffer) => {
    onBytes();
    process.received(chunk.length);
    if (!ended && !duplex.push(chunk)) stdout.pause();
  });
  stdout.on('end', end);
  stdout.on('close', end);
  void process.ended.then(end);
  return duplex;
}
