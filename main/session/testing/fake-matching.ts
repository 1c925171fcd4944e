/** RFC 7386. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

export function matchesLabels(
  labels: Readonly<Record<string, string>>,
  selector: string | undefined,
): boolean {
  return (selector ?? '')
    .split(',')
    .filter((term) => term !== '')
    .every((term) => {
      const [key = '', value] = term.split('=');
      if (value !== undefined) return labels[key] === value;
      return key.startsWith('!') ? !Object.hasOwn(labels, key.slice(1)) : Object.hasOwn(labels, key);
    });
}

export function matchesFields(object: object, selector: string | undefined): boolean {
  return (selector ?? '')
    .split(',')
    .filter((term) => term !== '')
    .every((term) => {
      const [path = '', value] = term.split('=');
      const found = path
        .split('.')
        .reduce<unknown>((at, part) => (isRecord(at) ? at[part] : undefined), object);
      return found === value;
    });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
