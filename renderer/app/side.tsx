import { useState } from 'react';
import type { Cluster } from '../../contract/clusters.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import { useRemote } from '../ipc/client.ts';
import { useStale } from '../ui/blocked.ts';
import { StatusDot } from '../ui/status-dot.tsx';
import { Time } from '../ui/time.tsx';
import { localSentence } from '../ui/time-text.ts';
import { visibleLine } from '../ui/visible-text.ts';
import { useWorkloadCounts, type FrameData } from './frame-data.ts';
import { NamespaceList } from './namespace-list.tsx';
import { PartBoundary } from './part-boundary.tsx';
import { hrefOf, type Route } from './route.ts';
import { healthTone, isOver, knownSentence, sessionWord } from './session-look.ts';
import styles from './side.module.css';
import { useView } from './view-state.ts';

/** Names are cut by the room there is; this bounds what is handed to the browser. */
const nameCharacters = 120;

/** The namespaces of the chosen cluster, then what is ours in all of them. */
export function Side({ data }: { readonly data: FrameData }) {
  const { route, place, sessions, leftovers } = data;
  const overlay = useView((state) => state.sideOverlay);
  const stale = useStale();
  const left = Object.values(leftovers).reduce((sum, count) => sum + count, 0);
  return (
    <div id="side" className={styles['side']} data-overlay={overlay || undefined}>
      <nav aria-label="Namespaces and sessions" className={styles['parts']}>
        {place.cluster === undefined ? null : (
          <PartBoundary name="The list of namespaces" again={hrefOf(route)}>
            <Namespaces cluster={place.cluster} chosen={place.namespaces} route={route} sessions={sessions} />
          </PartBoundary>
        )}
        <div className={styles['others']}>
          <PartBoundary name="The list of sessions">
            <Sessions sessions={sessions} route={route} />
          </PartBoundary>
          <section aria-label="Yours">
            <a
              className={styles['item']}
              href={hrefOf({ page: 'leftovers', cluster: place.cluster?.id })}
              aria-current={route.page === 'leftovers' ? 'page' : undefined}
            >
              <span className={styles['noDot']} />
              <span className={styles['name']}>Leftovers</span>
              <span className={styles['aside']} data-tone={left > 0 && !stale ? 'warn' : undefined}>
                {left}
              </span>
            </a>
          </section>
        </div>
      </nav>
    </div>
  );
}

function Namespaces({
  cluster,
  chosen,
  route,
  sessions,
}: {
  readonly cluster: Cluster;
  readonly chosen: readonly string[];
  readonly route: Route;
  readonly sessions: readonly SessionSummary[];
}) {
  const { value: listing, error } = useRemote('clusters.namespaces', { cluster: cluster.id });
  const { value: connection } = useRemote('clusters.connection', { cluster: cluster.id });
  const counts = useWorkloadCounts(route, cluster.id);
  const [filter, setFilter] = useState('');
  const failure = connection?.error ?? listing?.error ?? error;
  const items = Object.values(listing?.items ?? {});
  const waiting = listing === undefined || (listing.state === 'loading' && items.length === 0);
  return (
    <section aria-labelledby="side-namespaces" className={styles['namespaces']}>
      <h2 id="side-namespaces" className={styles['heading']} title={visibleLine(cluster.context, 400)}>
        <span className={styles['headingText']}>{visibleLine(cluster.context, nameCharacters)}</span>
        {connection?.state === 'connecting' ? <span className={styles['aside']}>connecting …</span> : null}
      </h2>
      <NamespaceList
        cluster={cluster.id}
        namespaces={items}
        chosen={route.page === 'workloads' || route.page === 'workload' ? chosen : []}
        all={route.page === 'workloads' && route.namespaces.length === 0}
        sessions={sessions}
        counts={counts}
        filter={filter}
        onFilter={setFilter}
      />
      {failure !== undefined && !waiting ? (
        <p className={styles['note']} data-tone={items.length === 0 ? 'error' : undefined}>
          {visibleLine(failure.message)}
        </p>
      ) : null}
      {failure !== undefined && waiting ? (
        <p className={styles['note']} data-tone="error">
          {visibleLine(failure.message)}
        </p>
      ) : null}
      {listing?.state === 'partial' ? (
        <p className={styles['note']}>{visibleLine(listing.notes?.[0] ?? 'Not all can be seen.')}</p>
      ) : null}
    </section>
  );
}

function Sessions({
  sessions,
  route,
}: {
  readonly sessions: readonly SessionSummary[];
  readonly route: Route;
}) {
  return (
    <section aria-labelledby="side-sessions">
      <h2 id="side-sessions" className={styles['heading']}>
        <span className={styles['headingText']}>Sessions</span>
      </h2>
      {sessions.length === 0 ? (
        <p className={styles['note']}>None. Open a workload and press Start.</p>
      ) : (
        <ul className={styles['list']}>
          {sessions.map((session) => (
            <li key={session.id}>
              <SessionLink
                session={session}
                current={route.page === 'session' && route.session === session.id}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function SessionLink({ session, current }: { readonly session: SessionSummary; readonly current: boolean }) {
  const stale = useStale();
  const word = sessionWord(session, stale);
  const sentence = visibleLine(localSentence(knownSentence(session, stale), new Date()));
  return (
    <a
      className={styles['item']}
      href={hrefOf({ page: 'session', session: session.id })}
      aria-current={current ? 'page' : undefined}
      title={`${session.kind} ${visibleLine(session.target)} in ${visibleLine(session.namespace)}. ${sentence}`}
    >
      <StatusDot tone={healthTone(session.health)} label={session.health} past={isOver(session.stage)} />
      <span className={styles['name']} data-strong>
        {visibleLine(session.target, nameCharacters)}
      </span>
      <span className={styles['aside']} data-tone={stale ? undefined : asideTone(session)}>
        {word ?? (session.lastSyncAt === undefined ? '' : <Time iso={session.lastSyncAt} style="relative" />)}
      </span>
    </a>
  );
}

function asideTone(session: SessionSummary): string | undefined {
  if (session.stage === 'failed') return 'error';
  if (session.stage === 'left') return 'warn';
  return session.stage === 'running' && (session.conflicts > 0 || session.held > 0) ? 'warn' : undefined;
}
