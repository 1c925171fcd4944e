/** One text for equal params, whatever the order of their keys: who asks for the same shares one subscription. */
export function paramsKey(name: string, params: unknown): string {
  return `${name} ${JSON.stringify(params, sortKeys)}`;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
