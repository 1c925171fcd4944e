import { useEffect, useRef, useState } from 'react';
import type { SessionSummary } from '../../contract/sessions.ts';
import { localSentence } from '../ui/time-text.ts';
import type { Gone } from './gone.ts';

/** Reads changes of state to those who do not see them: a session that needs a look, main that is gone or back. */
export function Announcer({
  sessions,
  gone,
}: {
  readonly sessions: readonly SessionSummary[];
  readonly gone: Gone;
}) {
  const [said, setSaid] = useState('');
  const before = useRef<ReadonlyMap<string, string>>(undefined);
  useEffect(() => {
    const now = new Map(sessions.map(({ id, stage, health }) => [id, `${stage} ${health}`]));
    const last = before.current;
    before.current = now;
    // Busy comes and goes with every file; only what lasts is told.
    const changed = sessions.find(
      ({ id, health }) => last?.get(id) !== undefined && last.get(id) !== now.get(id) && health !== 'busy',
    );
    if (changed !== undefined) setSaid(`${changed.target}: ${localSentence(changed.sentence, new Date())}`);
  }, [sessions]);
  const wasGone = useRef(false);
  useEffect(() => {
    if (gone === undefined && wasGone.current) setSaid('Slipway is connected again.');
    wasGone.current = gone !== undefined;
  }, [gone === undefined]);
  return (
    <div className="hidden-visually" role="status" aria-live="polite">
      {said}
    </div>
  );
}
