import { RefreshCw, Square } from 'lucide-react';
import { lazy, memo, Suspense, useCallback, useMemo, useState } from 'react';
import type { SessionDetail, SessionStage, SessionSummary } from '../../../contract/sessions.ts';
import { healthTone, isOver, knownSentence, syncBadge } from '../../app/session-look.ts';
import { useActions } from '../../app/actions.ts';
import { hrefOf, navigate, type RouteOf } from '../../app/route.ts';
import { knownStart, rememberStart, useViewStore } from '../../app/view-state.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { useStale } from '../../ui/blocked.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Text } from '../../ui/text.tsx';
import { localSentence } from '../../ui/time-text.ts';
import { Time } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { ChangesTab } from './changes-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { PortsTab } from './ports-tab.tsx';
import styles from './session.module.css';
import { StopDialog } from './stop-dialog.tsx';
import { SyncTab } from './sync-tab.tsx';
import { TimelineTab } from './timeline-tab.tsx';
import { useActivityLog } from './use-activity.ts';

const SessionTerminal = lazy(async () => ({
  default: (await import('../terminal/session-terminal.tsx')).SessionTerminal,
}));
const LogView = lazy(async () => ({ default: (await import('../logs/log-view.tsx')).LogView }));

type Tab = NonNullable<RouteOf<'session'>['tab']>;

/** One dev session: how it is in one sentence, and everything about it in tabs. */
export function SessionPage({ route }: { readonly route: RouteOf<'session'> }) {
  const { value: detail, error } = useRemote('sessions.detail', { session: route.session });
  if (detail !== undefined && error?.code !== 'session.not-found')
    return <OpenSession detail={detail} route={route} />;
  return (
    <Page title="Session">
      {error === undefined ? (
        <Skeleton label="Loading the session" />
      ) : error.code === 'session.not-found' ? (
        <EmptyState
          title="There is no such session"
          text="It was closed, or it belongs to an earlier run of the app. What an earlier run left in the cluster is among the leftovers."
          action={<a href={hrefOf({ page: 'leftovers' })}>Open Leftovers</a>}
        />
      ) : (
        <ErrorBox error={error} />
      )}
    </Page>
  );
}

interface OpenSessionProps {
  readonly detail: SessionDetail;
  readonly route: RouteOf<'session'>;
}

function OpenSession({ detail, route }: OpenSessionProps) {
  const { summary } = detail;
  const { id: session, stage } = summary;
  const log = useActivityLog(session);
  const [stopping, setStopping] = useState<'restore' | 'keep'>();
  const action = useAction();
  const over = isOver(stage);
  const canStop = stage === 'starting' || stage === 'running';
  const tabs = tabsOf(summary);
  const shown = tabs.find(({ id }) => id === route.tab)?.id ?? 'overview';
  const go = (next: Tab) => navigate({ page: 'session', session, tab: next });
  const { run } = action;
  const nudge = useCallback(() => void run('sessions.nudge', { session }), [run, session]);
  useActions([
    {
      id: 'session.stop',
      label: 'Stop and Restore',
      category: 'Session',
      enabled: canStop,
      run: () => setStopping('restore'),
    },
    {
      id: 'session.stop-keep',
      label: 'Stop and Keep Dev Pod',
      category: 'Session',
      enabled: stage === 'running',
      run: () => setStopping('keep'),
    },
    {
      id: 'session.reconnect',
      label: 'Reconnect',
      category: 'Session',
      enabled: stage === 'running',
      run: nudge,
    },
    ...tabs.map(({ id, label }) => ({
      id: `session.show-${id}`,
      label: `Show ${label}`,
      category: 'Session',
      run: () => go(id),
    })),
  ]);
  const fills = shown === 'sync' || shown === 'timeline' || shown === 'terminal' || shown === 'logs';
  // Numbers change many times a second; what does not depend on them is not drawn for them.
  const { held, conflicts, ports } = summary;
  const tabBar = useMemo(
    () => (
      <Tabs
        label="Session"
        value={shown}
        tabs={tabsOf({ stage, held, conflicts, ports })}
        onChange={(next) => navigate({ page: 'session', session, tab: next })}
      />
    ),
    [shown, stage, held, conflicts, ports, session],
  );
  const { commandLine } = detail;
  const { pending } = action;
  const actions = useMemo(
    () =>
      over ? null : (
        <HeadActions
          stage={stage}
          commandLine={commandLine}
          pending={pending}
          onReconnect={nudge}
          onStop={setStopping}
        />
      ),
    [over, stage, commandLine, pending, nudge],
  );
  return (
    <Page
      fill={fills}
      title={<Text value={summary.target} />}
      subtitle={
        <Subject
          kind={summary.kind}
          cluster={summary.cluster}
          namespace={summary.namespace}
          stage={stage}
          startedAt={summary.startedAt}
          devName={detail.devName}
        />
      }
      state={<StatePill stage={stage} health={summary.health} sentence={summary.sentence} />}
      actions={over ? <EndedActions detail={detail} /> : actions}
      tabs={tabBar}
    >
      {action.error === undefined ? null : <ErrorBox error={action.error} />}
      <TabContent tab={shown} route={route} detail={detail} log={log} />
      {stopping === undefined || !canStop ? null : (
        <StopDialog detail={detail} keep={stopping === 'keep'} onClose={() => setStopping(undefined)} />
      )}
    </Page>
  );
}

const reconnectReasons: Readonly<Partial<Record<SessionStage, string>>> = {
  starting: 'There is no connection yet.',
  stopping: 'It is stopping already.',
};

function HeadActions({
  stage,
  commandLine,
  pending,
  onReconnect,
  onStop,
}: {
  readonly stage: SessionStage;
  readonly commandLine: string;
  readonly pending: boolean;
  readonly onReconnect: () => void;
  readonly onStop: (how: 'restore' | 'keep') => void;
}) {
  const canStop = stage === 'starting' || stage === 'running';
  return (
    <>
      {/* Always there, so that nothing moves when it can be used. */}
      <Button
        icon={<RefreshCw />}
        pending={pending}
        disabledReason={reconnectReasons[stage]}
        onClick={onReconnect}
      >
        Reconnect
      </Button>
      <Button
        kind="danger"
        icon={<Square />}
        disabledReason={canStop ? undefined : 'It is stopping already.'}
        onClick={() => onStop('restore')}
      >
        Stop and Restore
      </Button>
      <Menu
        label="More"
        items={[
          {
            label: 'Stop and Keep Dev Pod…',
            danger: true,
            onSelect: () => onStop('keep'),
            ...(stage === 'running' ? {} : { disabledReason: 'Only a running session can be kept.' }),
          },
          { label: 'Copy as Slipway Command', onSelect: () => void copyText(commandLine) },
        ]}
      />
    </>
  );
}

function TabContent({
  tab,
  route,
  detail,
  log,
}: {
  readonly tab: Tab;
  readonly route: RouteOf<'session'>;
  readonly detail: SessionDetail;
  readonly log: ReturnType<typeof useActivityLog>;
}) {
  const session = detail.summary.id;
  switch (tab) {
    case 'overview':
      return <OverviewTab detail={detail} log={log} />;
    case 'sync':
      return <SyncTab detail={detail} log={log} route={route} />;
    case 'terminal':
      return (
        <Suspense fallback={<Skeleton />}>
          <SessionTerminal session={session} />
        </Suspense>
      );
    case 'logs':
      return (
        <Suspense fallback={<Skeleton />}>
          <LogView target={{ kind: 'session', session }} />
        </Suspense>
      );
    case 'ports':
      return <PortsTab detail={detail} />;
    case 'changes':
      return <ChangesTab detail={detail} />;
    case 'timeline':
      return <TimelineTab timeline={detail.timeline} />;
  }
}

/** A terminal and logs there are while there is a pod; the rest tells of an ended session too. */
function tabsOf({
  stage,
  held,
  conflicts,
  ports,
}: Pick<SessionSummary, 'stage' | 'held' | 'conflicts' | 'ports'>): readonly {
  readonly id: Tab;
  readonly label: string;
  readonly badge?: string | undefined;
}[] {
  const live = stage === 'running' || stage === 'stopping';
  return [
    { id: 'overview', label: 'Overview' },
    { id: 'sync', label: 'Sync', badge: syncBadge({ held, conflicts }) },
    ...(live
      ? ([
          { id: 'terminal', label: 'Terminal' },
          { id: 'logs', label: 'Logs' },
        ] as const)
      : []),
    ...(isOver(stage) && ports === 0 ? [] : [{ id: 'ports', label: 'Ports' } as const]),
    { id: 'changes', label: 'Changes' },
    { id: 'timeline', label: 'Timeline' },
  ];
}

const how = {
  starting: ', being replaced by ',
  running: ', replaced by ',
  stopping: ', replaced by ',
  ended: ', was replaced by ',
  left: ', was replaced by ',
  failed: ', was to be replaced by ',
} as const;

const Subject = memo(function Subject({
  kind,
  cluster,
  namespace,
  stage,
  startedAt,
  devName,
}: Pick<SessionSummary, 'kind' | 'cluster' | 'namespace' | 'stage' | 'startedAt'> & {
  readonly devName: string;
}) {
  const clusters = useRemote('clusters.list', {});
  const context = clusters.value?.items[cluster]?.context ?? cluster;
  return (
    <span
      className={styles['subject']}
      title={visibleLine(`${kind} in ${context} / ${namespace}${how[stage]}${devName}`)}
    >
      {kind} in <Text value={context} /> / <Text value={namespace} />
      {how[stage]}
      <strong>
        <Text value={devName} />
      </strong>
      , <Time iso={startedAt} style="relative" /> ago
    </span>
  );
});

function StatePill({ stage, health, sentence }: Pick<SessionSummary, 'stage' | 'health' | 'sentence'>) {
  const stale = useStale() && !isOver(stage);
  const tone = healthTone(health);
  const text = knownSentence({ stage, sentence }, stale);
  return (
    <span
      className={styles['pill']}
      data-tone={stale ? 'unknown' : tone}
      role="status"
      title={visibleLine(localSentence(text, new Date()))}
    >
      <StatusDot tone={tone} label="" past={!stale} />
      <span className={styles['pillText']}>
        <Sentence text={text} />
      </span>
    </span>
  );
}

function EndedActions({ detail }: { readonly detail: SessionDetail }) {
  const action = useAction();
  const view = useViewStore();
  const { cluster, namespace, target, id, stage } = detail.summary;
  const workload = {
    page: 'workload',
    cluster,
    namespace,
    kind: detail.form.kind,
    name: target,
    tab: 'start',
  } as const;
  const startAgain = () => {
    // Windows do not learn the values of variables: the one that started it knows them, in others they are left out.
    if (knownStart(view, detail.form) === undefined) rememberStart(view, { ...detail.form, env: [] });
    navigate(workload);
  };
  const forget = async () => {
    if ((await action.run('sessions.forget', { session: id })) === undefined) return;
    navigate({ page: 'workloads', cluster, namespaces: [namespace] });
  };
  return (
    <>
      {stage === 'left' ? (
        <Button local onClick={() => navigate({ page: 'leftovers', cluster })}>
          Open Leftovers
        </Button>
      ) : null}
      <Button kind="primary" local onClick={startAgain}>
        Start Again
      </Button>
      <Button kind="quiet" local={false} pending={action.pending} onClick={() => void forget()}>
        Close
      </Button>
    </>
  );
}
