import type { Readable } from 'node:stream';
import { SlipwayError } from '../base/errors.ts';
import type { Kube, PodTarget } from '../kube/kube.ts';

/** How much input is held in memory where its end cannot be told to the server. */
const maximumInputBytes = 64 * 1024 * 1024;

export interface WholeInputOptions {
  readonly kube: Pick<Kube, 'exec'>;
  readonly target: PodTarget;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Whether the way to this container can tell a command that its input has ended: not with an older server, or a proxy
 * that does not know the protocol. Asked with a command that does nothing, because the real one may run only once.
 */
export async function canTellEnd({ kube, target, signal }: WholeInputOptions): Promise<boolean> {
  await using stream = await kube.exec(target, { command: ['true'], stdin: true, signal });
  return stream.canHalfClose;
}

/** A command that reads exactly `length` bytes and sees the end of its input then; its exit code is its own. Needs `sh` and `head`. */
export function commandWithLength(command: readonly string[], length: number): readonly string[] {
  return ['sh', '-c', 'head -c "$0" | "$@"', String(length), ...command];
}

/** All of an input that ends. Rejects when it is longer than can be held. */
export async function readWhole(input: Readable, signal?: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    signal?.throwIfAborted();
    chunks.push(Buffer.from(chunk as Uint8Array));
    length += chunks.at(-1)?.length ?? 0;
    if (length > maximumInputBytes) throw tooLong();
  }
  return Buffer.concat(chunks);
}

function tooLong(): SlipwayError {
  return new SlipwayError({
    code: 'stream.unsupported',
    message: `More than ${maximumInputBytes / 1024 / 1024} MiB of input cannot be given to a command on this cluster.`,
    cause:
      'The server, or a proxy on the way to it, does not know the protocol that tells the end of input, so all of it is held here first.',
    next: 'Put the input into a file of the container, for instance by "slipway sync", and let the command read that.',
  });
}
