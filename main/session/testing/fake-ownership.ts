type Entry = Record<string, unknown>;

/** Fields whose owners sessions ask for. */
const tracked = [
  ['spec', 'replicas'],
  ['spec', 'renewTime'],
  ['spec', 'template'],
] as const;

/**
 * `managedFields` after a write, for the tracked fields only: who changes a field takes it from everybody else,
 * and the time of the writer's entry is the server's.
 */
export function noteOwnership(
  before: object,
  after: object,
  entries: readonly Entry[],
  writer: { readonly manager: string; readonly subresource: string | undefined; readonly time: string },
): Entry[] {
  let result = structuredClone(entries) as Entry[];
  const taken: Record<string, Record<string, object>> = {};
  for (const path of tracked) {
    const value = at(after, path);
    if (value === undefined || JSON.stringify(value) === JSON.stringify(at(before, path))) continue;
    const owned = result.some((entry) => owns(entry, path));
    result = result.flatMap((entry) => without(entry, path));
    // A Scale leaves out 0, and is not tracked while nobody owns the field.
    if (writer.subresource === 'scale' && (!owned || value === 0)) continue;
    (taken[`f:${path[0]}`] ??= {})[`f:${path[1]}`] = {};
  }
  if (Object.keys(taken).length === 0) return result;
  const isWriter = (entry: Entry): boolean =>
    entry['manager'] === writer.manager &&
    entry['operation'] === 'Update' &&
    entry['subresource'] === writer.subresource;
  const own = result.find(isWriter);
  const fields = (own?.['fieldsV1'] ?? {}) as Record<string, Record<string, object>>;
  const merged = Object.fromEntries(
    Object.entries({ ...fields, ...taken }).map(([key, value]) => [key, { ...fields[key], ...value }]),
  );
  const entry = {
    manager: writer.manager,
    operation: 'Update',
    apiVersion: 'apps/v1',
    ...(writer.subresource === undefined ? {} : { subresource: writer.subresource }),
    time: writer.time,
    fieldsType: 'FieldsV1',
    fieldsV1: merged,
  };
  return [...result.filter((other) => other !== own), entry];
}

function at(object: object, path: readonly [string, string]): unknown {
  return (object as Record<string, Record<string, unknown> | undefined>)[path[0]]?.[path[1]];
}

function owns(entry: Entry, path: readonly [string, string]): boolean {
  const fields = entry['fieldsV1'] as Record<string, Record<string, object> | undefined> | undefined;
  return fields?.[`f:${path[0]}`]?.[`f:${path[1]}`] !== undefined;
}

function without(entry: Entry, path: readonly [string, string]): Entry[] {
  const fields = structuredClone(entry['fieldsV1'] ?? {}) as Record<string, Record<string, object>>;
  const group = fields[`f:${path[0]}`];
  if (group === undefined || !(`f:${path[1]}` in group)) return [entry];
  const rest = Object.fromEntries(Object.entries(group).filter(([key]) => key !== `f:${path[1]}`));
  const others = Object.entries(fields).filter(([key]) => key !== `f:${path[0]}`);
  const next = Object.fromEntries(
    Object.keys(rest).length > 0 ? [...others, [`f:${path[0]}`, rest]] : others,
  );
  return Object.keys(next).length > 0 ? [{ ...entry, fieldsV1: next }] : [];
}
