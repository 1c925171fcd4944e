import { SlipwayError } from '../../base/errors.ts';

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A moment as people write it: `10m` (ago), `14:30` (the last time it was), or a date; in milliseconds since the epoch. */
export function parseMoment(text: string, now: number): number {
  const ago = /^(\d{1,6})\s*([smhd])$/.exec(text);
  if (ago !== null) return now - Number(ago[1]) * (unitMs[ago[2] ?? ''] ?? 0);
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text);
  if (clock !== null && Number(clock[1]) < 24 && Number(clock[2]) < 60) {
    const moment = new Date(now);
    moment.setHours(Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0), 0);
    return moment.getTime() > now ? moment.getTime() - 86_400_000 : moment.getTime();
  }
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(date)) return date;
  throw new SlipwayError({
    code: 'usage.invalid',
    message: `${JSON.stringify(text)} is no moment.`,
    cause: 'It is neither a time ago like 10m, 2h or 3d, nor a time of day, nor a date.',
    next: 'Write it like --since 10m, --since 14:30 or --since 2030-01-31T14:30.',
  });
}
