import { useCallback, useEffect, useRef, useState } from 'react';
import type { ConflictVersions, FileVersion, SessionDetail } from '../../../contract/sessions.ts';
import { hrefOf } from '../../app/route.ts';
import { isOver } from '../../app/session-look.ts';
import { useAction } from '../../ipc/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Bytes } from '../../ui/bytes.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { comparisonOf, cutNote, placeOf, standingOf, wordsOf } from './conflict-look.ts';
import styles from './conflict.module.css';
import type { ConflictRow } from './conflicts.ts';
import { DiffView } from './diff-view.tsx';
import { choicesOf } from './session-text.ts';
import sessionStyles from './session.module.css';

interface ConflictViewProps {
  readonly detail: SessionDetail;
  readonly row: ConflictRow;
}

/** Both versions of one conflict beside each other, and the choice between them. */
export function ConflictView({ detail, row }: ConflictViewProps) {
  const { id: session, stage } = detail.summary;
  const { note, key, words } = row;
  const over = isOver(stage);
  const [fresh, setFresh] = useState(false);
  const { versions, error, pending, load } = useVersions(session, key, over, fresh, note.swappedAt);
  const swap = useAction();
  const takeOther = async () => {
    const done = await swap.run('sessions.swapConflict', { session, conflict: key });
    if (done !== undefined) load();
  };
  const taken = note.winner === 'local' ? 'Take the Container’s' : 'Take This Machine’s';
  return (
    <div className={styles['view']}>
      <div className={styles['head']}>
        <a href={hrefOf({ page: 'session', session, tab: 'sync', part: 'conflicts' })}>All Conflicts</a>
        <h2 className={styles['title']} title={visibleLine(note.path)}>
          <Text value={note.path} mono />
        </h2>
        {over ? null : (
          <>
            {note.winner === 'none' ? null : (
              <Button kind="quiet" pending={pending} onClick={() => setFresh((before) => !before)}>
                {fresh ? 'Read from This Machine' : 'Read from the Container'}
              </Button>
            )}
            <Button kind="quiet" pending={pending} onClick={load}>
              Look Again
            </Button>
            {note.winner === 'none' ? (
              <HeldAnswers detail={detail} path={note.path} />
            ) : (
              <Button
                kind="primary"
                pending={swap.pending}
                disabledReason={
                  versions?.canSwap === false ? 'The other version is not in the trash.' : undefined
                }
                onClick={() => void takeOther()}
              >
                {taken}
              </Button>
            )}
          </>
        )}
      </div>
      <div className={styles['notes']}>
        <p className={sessionStyles['muted']} role="status">
          {words}.{' '}
          {note.winner !== 'none' && versions?.canSwap === true
            ? 'If you take the other one, the one that holds now goes to the trash.'
            : ''}{' '}
          {versions === undefined ? '' : (cutNote(versions) ?? '')}
        </p>
        {error === undefined ? null : <ErrorBox error={error} onRetry={load} />}
        {swap.error === undefined ? null : <ErrorBox error={swap.error} />}
      </div>
      {versions === undefined ? (
        over ? (
          <EmptyState
            title="The folder is closed"
            text="Both versions can be compared while a session runs; the one that lost stays in the trash for seven days."
          />
        ) : error === undefined ? (
          <div style={{ padding: '0 var(--space-5)' }}>
            <Skeleton label="Reading both versions" />
          </div>
        ) : null
      ) : (
        <Both versions={versions} winner={note.winner} />
      )}
    </div>
  );
}

/** Asked for again when the winner changes. */
function useVersions(
  session: string,
  conflict: string,
  over: boolean,
  fresh: boolean,
  swappedAt: string | undefined,
) {
  const { run, error, pending } = useAction();
  const [versions, setVersions] = useState<ConflictVersions>();
  const latest = useRef(0);
  const load = useCallback(() => {
    const turn = ++latest.current;
    void run('sessions.conflict', { session, conflict, ...(fresh ? { fresh } : {}) }).then((found) => {
      if (turn === latest.current && found !== undefined) setVersions(found);
    });
  }, [run, session, conflict, fresh]);
  useEffect(() => {
    if (!over) load();
  }, [load, over, swappedAt]);
  return { versions, error, pending, load };
}

function Both({
  versions,
  winner,
}: {
  readonly versions: ConflictVersions;
  readonly winner: ConflictRow['note']['winner'];
}) {
  const comparison = comparisonOf(versions);
  return (
    <>
      <div className={styles['sides']}>
        <Side title="This Machine" version={versions.local} standing={standingOf(winner, 'local')} />
        <Side title="Container" version={versions.remote} standing={standingOf(winner, 'remote')} />
      </div>
      {comparison.kind === 'lines' ? (
        <DiffView left={comparison.left} right={comparison.right} />
      ) : (
        <EmptyState title={comparison.title} text={<Text value={comparison.text} />} />
      )}
    </>
  );
}

function Side({
  title,
  version,
  standing,
}: {
  readonly title: string;
  readonly version: FileVersion;
  readonly standing: ReturnType<typeof standingOf>;
}) {
  const { kind, size, time, digest, where } = version;
  return (
    <section className={styles['side']} aria-label={`Version of ${title}`}>
      <p className={styles['sideTitle']}>
        {title}
        {standing === 'waits' ? null : (
          <Badge tone={standing === 'won' ? 'ok' : 'neutral'} past>
            {standing === 'won' ? 'Holds' : 'Lost'}
          </Badge>
        )}
      </p>
      <p className={styles['about']}>
        <span>{placeOf(version)}</span>
        {kind === 'file' && size !== undefined ? <Bytes value={size} /> : <Text value={wordsOf(version)} />}
        {time === undefined ? null : (
          <span>
            {where === 'trash' ? 'put there ' : 'changed '}
            <Time iso={time} style="full" />
          </span>
        )}
        {digest === undefined ? null : (
          <span className={styles['digest']} title={`SHA-256 ${digest}`}>
            sha256 {digest.slice(0, 12)}
          </span>
        )}
      </p>
    </section>
  );
}

/** The answers to a conflict that waits: none of them loses a version, so nothing is asked twice. */
function HeldAnswers({ detail, path }: { readonly detail: SessionDetail; readonly path: string }) {
  const answer = useAction();
  const work = Object.values(detail.held).find(
    ({ kind, paths }) => kind === 'conflict' && paths.includes(path),
  );
  if (work === undefined) return null;
  const session = detail.summary.id;
  return (
    <>
      {choicesOf(work).map(({ choice, label, effect }) => (
        <span key={choice} title={effect}>
          <Button
            pending={answer.pending}
            onClick={() => void answer.run('sessions.answerHeld', { session, held: work.id, choice })}
          >
            {label}
          </Button>
        </span>
      ))}
      {answer.error === undefined ? null : <ErrorBox error={answer.error} />}
    </>
  );
}
