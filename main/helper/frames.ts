/** Largest message on the upstream, as on the helper's side. */
export const frameLimit = 16 * 1024 * 1024;

/** One message's bytes with their length before them. */
export function encodeFrame(message: Uint8Array): Buffer {
  if (message.length > frameLimit) throw new Error(`A frame of ${message.length} bytes is larger than ${frameLimit}`);
  const frame = Buffer.allocUnsafe(4 + message.length);
  frame.writeUInt32BE(message.length);
  frame.set(message, 4);
  return frame;
}

/** Takes a byte stream apart into messages, however it is cut into chunks. Throws for a length above `limit`. */
export class FrameDecoder {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(limit: number = frameLimit) {
    this.#limit = limit;
  }

  /** Bytes of a message that has not arrived whole. */
  get pending(): number {
    return this.#length;
  }

  /** The messages that are whole with this chunk. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const messages: Buffer[] = [];
    for (;;) {
      if (this.#length < 4) return messages;
      const size = this.#head(4).readUInt32BE();
      if (size > this.#limit) throw new Error(`A frame of ${size} bytes was announced; ${this.#limit} are the most`);
      if (this.#length < 4 + size) return messages;
      messages.push(this.#head(4 + size).subarray(4, 4 + size));
      this.#drop(4 + size);
    }
  }

  /** Joins chunks until the first one holds `count` bytes. */
  #head(count: number): Buffer {
    let first = this.#chunks[0] ?? Buffer.alloc(0);
    if (first.length < count) {
      first = Buffer.concat(this.#chunks);
      this.#chunks = [first];
    }
    return first;
  }

  #drop(count: number): void {
    const first = this.#head(count);
    this.#chunks[0] = first.subarray(count);
    if (first.length === count) this.#chunks.shift();
    this.#length -= count;
  }
}
