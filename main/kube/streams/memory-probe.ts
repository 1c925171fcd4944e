import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ExecStream } from '../kube.ts';

const megabyte = 1024 * 1024;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Lets a stream wait, reads it to its end, and says how many bytes came and how far the process grew meanwhile. */
export async function stallThenRead(
  stream: ExecStream,
  stallMs: number,
): Promise<{ readonly bytes: number; readonly grownBytes: number }> {
  using growth = watchGrowth();
  stream.stdout.read(0);
  await delay(stallMs);
  let bytes = 0;
  for await (const chunk of stream.stdout as AsyncIterable<Buffer>) bytes += chunk.length;
  return { bytes, grownBytes: growth.bytes() };
}

/** Lets a stream wait, and says how far the process grew meanwhile. */
export async function stall(stream: ExecStream, stallMs: number): Promise<{ readonly grownBytes: number }> {
  using growth = watchGrowth();
  stream.stdout.read(0);
  await delay(stallMs);
  return { grownBytes: growth.bytes() };
}

/** Writes as fast as the stream takes it, ends the input, and says what the command answered and how far the process grew. */
export async function floodInput(
  stream: ExecStream,
  megabytes: number,
): Promise<{ readonly output: string; readonly grownBytes: number }> {
  const { stdin } = stream;
  if (stdin === undefined) throw new Error('No input was asked for');
  const chunk = Buffer.alloc(megabyte / 4, 'slipway ');
  using growth = watchGrowth();
  const output = text(stream.stdout);
  for (let sent = 0; sent < megabytes * 4; sent++) {
    if (!stdin.write(chunk)) await new Promise((resolve) => stdin.once('drain', resolve));
  }
  stdin.end();
  return { output: await output, grownBytes: growth.bytes() };
}

/**
 * Watches what the process holds, after a collection each time: what the collector has not taken yet says how busy
 * the machine is, not what a stream keeps.
 */
function watchGrowth(): Disposable & { bytes(): number } {
  const before = heldBytes();
  let highest = before;
  const look = (): void => {
    highest = Math.max(highest, heldBytes());
  };
  const timer = setInterval(look, 250);
  return {
    bytes: () => {
      look();
      return highest - before;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function heldBytes(): number {
  // Buffers that the first one finds are freed beside the program, and known to be at the second.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
