/** Deepest nesting of a frame: more than any contract has, and a bound for whoever walks through one. */
const maximumDepth = 32;

/**
 * Whether a frame's content stays within `limit` bytes, about as JSON would count them. Transports that clone objects
 * know no size of their own, and an object that is cloned may contain itself.
 */
export function fitsIn(frame: unknown, limit: number): boolean {
  let left = limit;
  const walk = (value: unknown, depth: number): boolean => {
    if (depth > maximumDepth) return false;
    if (typeof value === 'string') left -= byteLength(value, left) + 2;
    else if (value instanceof Uint8Array) left -= value.byteLength;
    else if (typeof value !== 'object' || value === null) left -= 4;
    else if (Array.isArray(value)) {
      left -= value.length;
      for (let index = 0; left >= 0 && index < value.length; index += 1)
        if (!walk(value[index], depth + 1)) return false;
    } else {
      for (const key in value) {
        left -= byteLength(key, left) + 4;
        if (left < 0 || !walk((value as Record<string, unknown>)[key], depth + 1)) return false;
      }
    }
    return left >= 0;
  };
  return walk(frame, 0);
}

/** Not counted further than matters: a text of more characters than there is room for has more bytes as well. */
function byteLength(text: string, room: number): number {
  return text.length > room ? text.length : Buffer.byteLength(text);
}
