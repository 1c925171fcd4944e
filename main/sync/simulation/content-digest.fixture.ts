import { createHash } from 'node:crypto';

const known = new Map<string, string>();
const knownLimit = 5000;

/** SHA-256 in hex; remembered, since a history reads the same few contents again and again. */
export function digestOf(content: string): string {
  const before = known.get(content);
  if (before !== undefined) return before;
  const digest = createHash('sha256').update(content).digest('hex');
  if (known.size >= knownLimit) known.clear();
  known.set(content, digest);
  return digest;
}
