import { PanelBottom } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { useRemote } from '../ipc/client.ts';
import { useStale } from '../ui/blocked.ts';
import { Sentence } from '../ui/sentence.tsx';
import { StatusDot } from '../ui/status-dot.tsx';
import { visibleLine } from '../ui/visible-text.ts';
import type { FrameData } from './frame-data.ts';
import { hrefOf } from './route.ts';
import { forwardCount, healthTone, isOver, knownSentence, sessionOfPlace } from './session-look.ts';
import styles from './status-bar.module.css';
import { TaskSummaryText } from './task-summary-text.tsx';
import { summarizeTasks, tasksInOrder } from './task-summary.ts';
import { useView, useViewStore } from './view-state.ts';

const TaskList = lazy(async () => ({ default: (await import('./task-list.tsx')).TaskList }));

/** Where you are and how it goes, in one line; each part opens its page. */
export function StatusBar({ data }: { readonly data: FrameData }) {
  const { place, route, sessions, leftovers } = data;
  const { cluster, namespaces } = place;
  const stale = useStale();
  const store = useViewStore();
  const dockOpen = useView((state) => state.dockOpen);
  const taskItems = useRemote('app.tasks', {}).value?.items;
  const tasks = useMemo(() => tasksInOrder(taskItems ?? {}), [taskItems]);
  const session = sessionOfPlace(sessions, {
    session: route.page === 'session' ? route.session : undefined,
    cluster: cluster?.id,
    namespaces,
  });
  const forwards = forwardCount(sessions);
  const left = Object.values(leftovers).reduce((sum, count) => sum + count, 0);
  const summary = summarizeTasks(tasks);
  const lastKnown = stale ? 'Last known: ' : '';
  return (
    <footer className={styles['bar']} aria-label="Status">
      {cluster === undefined ? null : (
        <>
          <a
            className={styles['chip']}
            data-cluster-color={cluster.color}
            data-guard={cluster.guard}
            href={hrefOf({ page: 'settings', section: 'clusters' })}
            title="Guards of clusters"
          >
            <span className={styles['chipName']}>{visibleLine(cluster.context, 80)}</span>
            {cluster.guard === 'none' ? null : <span> · {cluster.guard}</span>}
          </a>
          <a
            className={styles['item']}
            data-shrink
            href={hrefOf({ page: 'workloads', cluster: cluster.id, namespaces })}
            title={namespaces.map((name) => visibleLine(name)).join(', ')}
          >
            <span className={styles['clip']}>{namespacesText(namespaces)}</span>
          </a>
        </>
      )}
      {session === undefined ? null : (
        <a className={styles['item']} data-grow href={hrefOf({ page: 'session', session: session.id })}>
          <StatusDot tone={healthTone(session.health)} label={session.health} past={isOver(session.stage)} />
          <span className={styles['clip']}>
            <b>{visibleLine(session.target, 80)}</b> <Sentence text={knownSentence(session, stale)} />
          </span>
        </a>
      )}
      {forwards === 0 || session === undefined ? null : (
        <a className={styles['item']} href={hrefOf({ page: 'session', session: session.id, tab: 'ports' })}>
          {lastKnown}
          {forwards === 1 ? '1 forward' : `${forwards} forwards`}
        </a>
      )}
      {summary === undefined ? null : (
        <Suspense
          fallback={
            <span className={styles['item']}>
              <TaskSummaryText summary={summary} />
            </span>
          }
        >
          <TaskList tasks={tasks} />
        </Suspense>
      )}
      <span className={styles['space']} />
      <a
        className={styles['item']}
        data-tone={left > 0 && !stale ? 'warn' : undefined}
        href={hrefOf({ page: 'leftovers', cluster: cluster?.id })}
      >
        {left === 1 ? '1 leftover' : `${left} leftovers`}
      </a>
      <button
        type="button"
        className={styles['item']}
        aria-expanded={dockOpen}
        aria-controls="dock"
        onClick={() => store.setState({ dockOpen: !dockOpen })}
      >
        <PanelBottom aria-hidden />
        Dock
      </button>
    </footer>
  );
}

function namespacesText(namespaces: readonly string[]): string {
  const [first] = namespaces;
  if (first === undefined) return 'all namespaces';
  return namespaces.length === 1 ? visibleLine(first, 80) : `${namespaces.length} namespaces`;
}
