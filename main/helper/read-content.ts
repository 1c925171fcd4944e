import { checkEntry, ProtocolError, safeText } from './check-message.ts';
import type { ContentPart } from './connection.ts';
import type { SendContentRequest } from './gen/slipway/helper/v1/helper.ts';
import { helperLost } from './helper-errors.ts';

export interface ContentReaderOptions {
  readonly paths: readonly string[];
  /** Bytes of the file that copies may be from; undefined: none may come. */
  readonly baseSize?: bigint | undefined;
  readonly first: SendContentRequest;
  readonly parts: AsyncIterator<SendContentRequest>;
}

/** Checks the parts of the files of one request: the files asked for, in order, each no longer than its entry says. */
export class ContentReader {
  readonly #options: ContentReaderOptions;
  /** Resolves when everything was read, rejects when the reader gave up. */
  readonly finished: Promise<void>;
  #finish: { resolve: () => void; reject: (error: Error) => void } = { resolve: () => undefined, reject: () => undefined };

  constructor(options: ContentReaderOptions) {
    this.#options = options;
    this.finished = new Promise((resolve, reject) => {
      this.#finish = { resolve, reject };
    });
    this.finished.catch(() => undefined);
  }

  async *parts(signal?: AbortSignal): AsyncGenerator<ContentPart, void, void> {
    const { paths, baseSize, first, parts } = this.#options;
    let whole = false;
    const onAbort = (): void => this.#finish.reject(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      let file = 0;
      let left: bigint | undefined;
      for (let part: SendContentRequest | undefined = first; part !== undefined; ) {
        signal?.throwIfAborted();
        const expected = paths[file];
        if (part.id !== first.id || expected === undefined || part.path !== expected) {
          throw new ProtocolError('Contents came for another path than the next one asked for');
        }
        left = check(part, left, baseSize);
        yield {
          path: part.path,
          ...(part.entry === undefined ? {} : { entry: part.entry }),
          ...(part.data.length === 0 ? {} : { data: part.data }),
          ...(part.copied === undefined
            ? {}
            : { copied: { from: Number(part.copied.from), length: Number(part.copied.length) } }),
          ...(part.end === undefined ? {} : { end: { digest: part.end.digest, error: safeText(part.end.error) } }),
        };
        if (part.end !== undefined) {
          file += 1;
          left = undefined;
        }
        const next: IteratorResult<SendContentRequest> = await parts.next();
        signal?.throwIfAborted();
        part = next.done === true ? undefined : next.value;
      }
      if (file !== paths.length) throw helperLost('The contents of files ended before the last one.');
      whole = true;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      if (whole) this.#finish.resolve();
      else this.#finish.reject(new Error('not read to the end'));
    }
  }
}

/** How many bytes of the file are still to come after this part. */
function check(part: SendContentRequest, left: bigint | undefined, baseSize: bigint | undefined): bigint {
  if ((part.entry !== undefined) !== (left === undefined) && part.end?.error === undefined) {
    throw new ProtocolError('A file did not begin with its entry');
  }
  if (part.entry !== undefined) checkEntry(part.entry, 'present');
  const { copied } = part;
  if (copied !== undefined) {
    const inBase = baseSize !== undefined && copied.from <= baseSize && copied.length <= baseSize - copied.from;
    if (!inBase || copied.length === 0n || part.data.length > 0) throw new ProtocolError('A copy came that is not in the base');
  }
  const moves = part.entry !== undefined || part.end !== undefined || copied !== undefined || part.data.length > 0;
  if (!moves) throw new ProtocolError('An empty part of a file came');
  const rest = (left ?? part.entry?.size ?? 0n) - BigInt(part.data.length) - (copied?.length ?? 0n);
  if (rest < 0n) throw new ProtocolError('A file came with more bytes than it has');
  const { end } = part;
  if (end === undefined) return rest;
  if (end.error === '' && (rest !== 0n || end.digest.length !== 32)) throw new ProtocolError('A file ended before its end');
  return rest;
}
