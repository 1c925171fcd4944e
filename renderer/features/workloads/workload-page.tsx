import { Play, SquareArrowOutUpRight } from 'lucide-react';
import { useState } from 'react';
import type { WorkloadDetail, WorkloadKey } from '../../../contract/workloads.ts';
import { useActions } from '../../app/actions.ts';
import { navigate, type RouteOf } from '../../app/route.ts';
import { knownStart, useViewStore } from '../../app/view-state.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { draftOf, emptyDraft } from './draft.ts';
import { PreflightTab } from './preflight-tab.tsx';
import { devWords, readyTone } from './rows.ts';
import { StartTab } from './start-tab.tsx';
import { StaleNote } from './stale-note.tsx';
import { SummaryTab } from './summary-tab.tsx';

type TabId = 'summary' | 'preflight' | 'start';

/** One workload: what it is, what may be done with it, and the start of a session. */
export function WorkloadPage({ route }: { readonly route: RouteOf<'workload'> }) {
  const { cluster, namespace, kind, name } = route;
  return <Workload workload={{ cluster, namespace, kind, name }} tab={route.tab ?? 'summary'} />;
}

function Workload({ workload, tab }: { readonly workload: WorkloadKey; readonly tab: TabId }) {
  const { cluster, namespace, kind, name } = workload;
  const { value: detail, error } = useRemote('workloads.detail', workload);
  const context = useRemote('clusters.list', {}).value?.items[cluster]?.context ?? '';
  const view = useViewStore();
  const [draft, setDraft] = useState(() => {
    const known = knownStart(view, workload);
    return known === undefined ? emptyDraft : draftOf(known);
  });
  const retry = useAction();
  const show = (next: TabId) => navigate({ page: 'workload', cluster, namespace, kind, name, tab: next });
  const replaceable = kind === 'Deployment';
  const session = detail?.workload?.dev?.session;
  useActions([
    {
      id: 'workload.develop',
      label: 'Develop Workload…',
      category: 'Workload',
      enabled: replaceable,
      run: () => show('start'),
    },
    { id: 'workload.preflight', label: 'Show Preflight', category: 'Workload', run: () => show('preflight') },
  ]);
  const tryAgain = () => void retry.run('clusters.retry', { cluster });
  return (
    <Page
      fill={tab === 'start' && replaceable && session === undefined && detail?.workload !== undefined}
      title={<Text value={name} />}
      subtitle={
        <>
          {kind} in <Text value={context} /> / <Text value={namespace} />
          {detail?.workload === undefined ? null : (
            <>
              , <Time iso={detail.workload.createdAt} style="relative" /> old
            </>
          )}
        </>
      }
      state={<State detail={detail} />}
      actions={
        session !== undefined ? (
          <Button
            kind="primary"
            icon={<SquareArrowOutUpRight aria-hidden />}
            onClick={() => navigate({ page: 'session', session })}
          >
            Open Session
          </Button>
        ) : replaceable && tab !== 'start' && detail?.state !== 'gone' ? (
          <Button kind="primary" icon={<Play aria-hidden />} onClick={() => show('start')}>
            Develop…
          </Button>
        ) : undefined
      }
      tabs={
        <Tabs<TabId>
          label="Parts of the workload"
          value={tab}
          onChange={show}
          tabs={[
            { id: 'summary', label: 'Summary' },
            { id: 'preflight', label: 'Preflight' },
            { id: 'start', label: 'Start' },
          ]}
        />
      }
    >
      {detail?.state === 'stale' ? (
        <StaleNote since={detail.since} error={detail.error} onRetry={tryAgain} />
      ) : null}
      {detail?.state === 'gone' ? (
        <EmptyState
          title={`There is no ${kind} ${name} any more`}
          text={`It was deleted from ${namespace}, or it never was there.`}
          action={
            <Button onClick={() => navigate({ page: 'workloads', cluster, namespaces: [namespace] })}>
              Show Workloads
            </Button>
          }
        />
      ) : tab === 'preflight' ? (
        <PreflightTab workload={workload} />
      ) : detail?.workload === undefined ? (
        <Unread detail={detail} error={error ?? detail?.error} onRetry={tryAgain} />
      ) : tab === 'summary' ? (
        <SummaryTab detail={detail} onRetry={tryAgain} />
      ) : session !== undefined ? (
        <EmptyState
          title="Your session runs on this workload"
          text="It can have one session at a time. Stop that one to start anew."
          action={<Button onClick={() => navigate({ page: 'session', session })}>Open Session</Button>}
        />
      ) : replaceable ? (
        <StartTab workload={workload} detail={detail} draft={draft} onDraft={setDraft} />
      ) : (
        <EmptyState
          title={`A ${kind} cannot be replaced by a dev pod`}
          text="Only Deployments can. Its pods can still be reached: terminal, logs, ports and sync replace nothing."
        />
      )}
    </Page>
  );
}

function State({ detail }: { readonly detail: WorkloadDetail | undefined }) {
  const workload = detail?.workload;
  if (workload === undefined || detail?.state === 'gone') return null;
  const { ready, desired, dev } = workload;
  return (
    <>
      {dev === undefined ? null : (
        <Badge tone={devWords(dev).tone}>
          <Text value={dev.state === 'dead' ? `Left over by ${dev.holder}` : `Session of ${dev.holder}`} />
        </Badge>
      )}
      {dev !== undefined && dev.state !== 'dead' && desired === 0 ? null : (
        <Badge tone={readyTone(workload)}>{`${ready} of ${desired} ready`}</Badge>
      )}
    </>
  );
}

function Unread({
  detail,
  error,
  onRetry,
}: {
  readonly detail: WorkloadDetail | undefined;
  readonly error: WorkloadDetail['error'];
  readonly onRetry: () => void;
}) {
  if (error !== undefined && detail?.state !== 'loading') return <ErrorBox error={error} onRetry={onRetry} />;
  return <Skeleton />;
}
