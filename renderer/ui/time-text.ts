const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago, in one unit: "now", "12 s", "5 min", "3 h", "4 d". Times ahead (a clock that is off) count as now. */
export function relativeTime(from: number, now: number): string {
  const past = now - from;
  if (Number.isNaN(past)) return '';
  if (past < 1000) return 'now';
  if (past < minute) return `${Math.floor(past / 1000)} s`;
  if (past < hour) return `${Math.floor(past / minute)} min`;
  if (past < 2 * day) return `${Math.floor(past / hour)} h`;
  return `${Math.floor(past / day).toLocaleString('en')} d`;
}

/** Milliseconds until {@link relativeTime} says something else. */
export function nextChange(from: number, now: number): number {
  const past = Math.max(0, now - from);
  const step = past < minute ? 1000 : past < hour ? minute : hour;
  return step - (past % step);
}

/** The time of day where the user is; with the date when it is not today. */
export function clockTime(at: Date, now: Date): string {
  const time = at.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
  if (at.toDateString() === now.toDateString()) return time;
  const date = at.toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
  return `${date} ${time}`;
}

/** Date and time to the second, where the user is. */
export function fullTime(at: Date): string {
  return at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium', hour12: false });
}

const marked = /\{\{(\d{4}-\d{2}-\d{2}T[\d:.]{5,15}(?:Z|[+-]\d{2}:\d{2}))\}\}/g;

/** Writes the times that a sentence marks as `{{ISO 8601}}` as the user's clock shows them. */
export function localSentence(text: string, now: Date): string {
  return text.replace(marked, (whole, iso: string) => {
    const at = new Date(iso);
    return Number.isNaN(at.getTime()) ? whole : clockTime(at, now);
  });
}

/** A count of bytes in three digits or so: "0 B", "2.1 KB", "212 KB", "1.4 GB" (steps of 1,000). */
export function byteText(value: number): string {
  if (!Number.isFinite(value) || value < 0) return '';
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let amount = value;
  let unit = 0;
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || amount >= 99.95 ? 0 : 1;
  return `${amount.toFixed(digits)} ${units[unit] ?? ''}`;
}
