/** One line grew beyond its bound. */
export class LineTooLongError extends Error {}

/**
 * Splits a byte stream at line feeds, wherever its chunks are cut; a last line without a line feed is cut off
 * with the connection and is not given. Bytes are split before they are decoded, so no character is torn.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  maximumBytes: number,
): AsyncGenerator<string, void> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      const line = Buffer.concat(parts).toString();
      parts = [];
      size = 0;
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > maximumBytes) throw new LineTooLongError(`A line is longer than ${maximumBytes} bytes`);
  }
}
