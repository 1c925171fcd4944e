/**
 * The new plain value with every part that equals the old one being the old one's, so that whoever compares by
 * reference finds what changed alone.
 */
export function keepSame<T>(before: T, after: T): T {
  if (Object.is(before, after)) return before;
  if (!isPlain(before) || !isPlain(after) || Array.isArray(before) !== Array.isArray(after)) return after;
  const [old, fresh] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const keys = Object.keys(fresh);
  let same = keys.length === Object.keys(old).length;
  const parts = keys.map((key) => {
    const part = keepSame(old[key], fresh[key]);
    if (!Object.hasOwn(old, key) || !Object.is(part, old[key])) same = false;
    return [key, part] as const;
  });
  if (same) return before;
  return (Array.isArray(after) ? parts.map(([, part]) => part) : Object.fromEntries(parts)) as T;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
