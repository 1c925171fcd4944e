import { OctagonPause } from 'lucide-react';
import { memo, useState } from 'react';
import type { HeldWork, SessionDetail } from '../../../contract/sessions.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Text } from '../../ui/text.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { HeldDialog } from './held-dialog.tsx';
import { choicesOf, titleOfHeld, type HeldChoiceText } from './session-text.ts';
import calloutStyles from './callout.module.css';
import styles from './session.module.css';

/** Holds that the overview shows one by one; more are a line. */
const shownHere = 3;

/** What waits for an answer, with the answers. */
export const HeldCallouts = memo(function HeldCallouts({
  session,
  held,
  total,
  all = false,
}: {
  readonly session: string;
  readonly held: SessionDetail['held'];
  readonly total: number;
  readonly all?: boolean | undefined;
}) {
  const works = Object.values(held);
  const shown = all ? works : works.slice(0, shownHere);
  if (works.length === 0) return null;
  return (
    <>
      {shown.map((work) => (
        <HeldCallout key={work.id} session={session} work={work} />
      ))}
      {!all && total > shown.length ? (
        <p className={styles['muted']}>
          {(total - shown.length).toLocaleString('en')} more {total - shown.length === 1 ? 'waits' : 'wait'}{' '}
          for an answer: <a href={hrefOf({ page: 'session', session, tab: 'sync' })}>Open Sync</a>
        </p>
      ) : null}
    </>
  );
});

function HeldCallout({ session, work }: { readonly session: string; readonly work: HeldWork }) {
  const answer = useAction();
  const [asked, setAsked] = useState<HeldChoiceText>();
  const [listed, setListed] = useState(false);
  const first = work.paths[0] ?? '';
  const choose = (text: HeldChoiceText) => {
    if (text.danger) setAsked(text);
    else void answer.run('sessions.answerHeld', { session, held: work.id, choice: text.choice });
  };
  return (
    <section
      className={calloutStyles['callout']}
      data-tone="warn"
      aria-label={
        work.kind === 'conflict' ? `${titleOfHeld(work)}: ${visibleLine(first)}` : titleOfHeld(work)
      }
    >
      <OctagonPause className={calloutStyles['calloutIcon']} aria-hidden />
      <div className={calloutStyles['calloutText']}>
        <p className={calloutStyles['calloutTitle']}>
          {titleOfHeld(work)}
          {work.kind === 'conflict' ? (
            <>
              {': '}
              <Text value={first} mono />
            </>
          ) : null}
        </p>
        <p>
          <Text value={`${work.reason}. Nothing of it happens before you choose.`} />
        </p>
        {answer.error === undefined ? null : <ErrorBox error={answer.error} />}
      </div>
      <div className={styles['buttons']}>
        {work.count > 1 || work.kind !== 'conflict' ? (
          <Button kind="quiet" onClick={() => setListed(true)}>
            {work.count === 1 ? 'Show the Path' : `Show All ${work.count.toLocaleString('en')}`}
          </Button>
        ) : null}
        {choicesOf(work).map((text) => (
          <Button key={text.choice} pending={answer.pending} onClick={() => choose(text)}>
            {text.danger ? `${text.label}…` : text.label}
          </Button>
        ))}
      </div>
      <HeldDialog
        session={session}
        work={work}
        choice={asked}
        open={asked !== undefined || listed}
        onClose={() => {
          setAsked(undefined);
          setListed(false);
        }}
      />
    </section>
  );
}
