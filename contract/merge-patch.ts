/** A JSON value as it travels. Objects in states hold no `null`. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What leads from one value to the other, as a merge patch (RFC 7396); undefined when they are equal. Parts that are
 * the same object on both sides are not looked into, so values that share structure are compared fast. Keys that hold
 * `undefined` count as absent.
 */
export function diffMerge(from: unknown, to: unknown): unknown {
  if (from === to) return undefined;
  if (!isObject(from) || !isObject(to)) return isSame(from, to) ? undefined : to;
  const patch: Record<string, unknown> = {};
  let changed = false;
  /** Keys of `from` that `to` has as well. */
  let common = 0;
  for (const key of Object.keys(to)) {
    const value = to[key];
    // What an object inherits is never a JSON value, so what is the same was its own; most parts of a state are.
    if (value !== undefined && value === from[key]) {
      common += 1;
      continue;
    }
    if (value === undefined) continue;
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    if (before !== undefined) common += 1;
    const part = before === undefined ? value : diffMerge(before, value);
    if (part === undefined) continue;
    define(patch, key, part);
    changed = true;
  }
  const keys = Object.keys(from);
  if (keys.length === common) return changed ? patch : undefined;
  for (const key of keys) {
    if (from[key] === undefined || (Object.hasOwn(to, key) && to[key] !== undefined)) continue;
    define(patch, key, null);
    changed = true;
  }
  return changed ? patch : undefined;
}

/** Applies a merge patch (RFC 7396) and returns a new value that shares what did not change. */
export function applyMerge(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(value) ? { ...value } : {};
  for (const [key, part] of Object.entries(patch)) {
    if (part === null) Reflect.deleteProperty(result, key);
    else define(result, key, applyMerge(Object.hasOwn(result, key) ? result[key] : undefined, part));
  }
  return result;
}

/** Names come from a cluster: `__proto__` is a key like any other. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Arrays travel whole, so they are compared whole. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  return diffMerge(a, b) === undefined;
}
