import { useEffect, useState } from 'react';
import { clockTime, fullTime, nextChange, relativeTime } from './time-text.ts';

interface TimeProps {
  readonly iso: string;
  readonly style: 'relative' | 'clock' | 'full';
}

/** Longest wait before looking again, so that a machine that slept shows the right time soon. */
const longestWait = 60_000;

/** A point in time, in digits of one width, with the full date on hover. `relative` counts on by itself. */
export function Time({ iso, style }: TimeProps) {
  const at = new Date(iso);
  const known = !Number.isNaN(at.getTime());
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (style !== 'relative' || !known) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), Math.min(nextChange(at.getTime(), now), longestWait));
    return () => clearTimeout(timer);
  }, [style, known, at.getTime(), now]);
  if (!known) return null;
  const text = {
    relative: () => relativeTime(at.getTime(), Math.max(now, at.getTime())),
    clock: () => clockTime(at, new Date()),
    full: () => fullTime(at),
  }[style]();
  return (
    <time
      dateTime={iso}
      title={fullTime(at)}
      style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}
    >
      {text}
    </time>
  );
}
