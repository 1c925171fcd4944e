import { StringDecoder } from 'node:string_decoder';

/** Longest line given whole, in characters; a longer one comes in pieces. */
export const maximumLineLength = 256 * 1024;

/** The lines of a byte stream, without their ends; what follows the last end comes last. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    rest += decoder.write(chunk);
    let start = 0;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', start)) {
      yield rest.slice(start, end);
      start = end + 1;
    }
    rest = rest.slice(start);
    while (rest.length > maximumLineLength) {
      yield rest.slice(0, maximumLineLength);
      rest = rest.slice(maximumLineLength);
    }
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}
