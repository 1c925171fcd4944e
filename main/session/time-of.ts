/**
 * A timestamp of an API object in milliseconds. Objects arrive as JSON, so times are text, while the models
 * declare dates: both are taken. Undefined when absent or not a time.
 */
export function timeOf(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'string') return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}
