import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

/** The id of a context: the same on every start and in every host, for the file as it is named and the context's name. */
export function clusterIdOf(file: string, context: string): string {
  return createHash('sha256')
    .update(`${resolve(file)}\0${context}`)
    .digest('hex')
    .slice(0, 24);
}
