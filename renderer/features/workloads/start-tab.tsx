import { Terminal } from 'lucide-react';
import { useState } from 'react';
import type { WorkloadDetail, WorkloadKey } from '../../../contract/workloads.ts';
import { navigate } from '../../app/route.ts';
import { rememberStart, useViewStore } from '../../app/view-state.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Text } from '../../ui/text.tsx';
import { readDraft, withDetection, type Draft } from './draft.ts';
import { FlightPlanPanel } from './flight-plan-panel.tsx';
import { lookMark } from './look-again.ts';
import { StartForm } from './start-form.tsx';
import styles from './start-tab.module.css';
import { startReason } from './start-reason.ts';
import { useDetection, usePlan } from './use-plan.ts';

interface StartTabProps {
  readonly workload: WorkloadKey;
  readonly detail: WorkloadDetail;
  readonly draft: Draft;
  readonly onDraft: (change: (draft: Draft) => Draft) => void;
}

/** The form of a session, what is known about its start, and the one button. */
export function StartTab({ workload, detail, draft, onDraft }: StartTabProps) {
  const containers = detail.containers.map(({ name }) => name);
  const container = containers.length > 1 ? draft.container || containers[0] : undefined;
  const guard = useRemote('clusters.list', {}).value?.items[workload.cluster]?.guard;
  const detection = useDetection(
    { workload, folder: draft.folder.trim(), container, mark: lookMark(detail.pods, guard) },
    (found) => onDraft((before) => withDetection(before, found)),
  );
  const read = readDraft(workload, draft, containers);
  // Before the folder was looked at, the form would be planned with guesses that are replaced at once.
  const ready = read.kind === 'form' && !detection.pending && detection.error === undefined;
  const { plan, error, pending, renew } = usePlan(ready ? read.form : undefined);
  const start = useAction();
  const view = useViewStore();
  const [asking, setAsking] = useState(false);
  const [copied, setCopied] = useState(false);
  const shownPlan = ready ? plan : undefined;
  const reason = startReason({ read, detection, plan: shownPlan, pending, error });
  const launch = async (typed: string | undefined): Promise<void> => {
    if (plan === undefined) return;
    const begun = await start.run('sessions.start', {
      plan: plan.id,
      ...(typed === undefined ? {} : { confirmation: typed }),
    });
    if (begun === undefined) return;
    setAsking(false);
    if (read.kind === 'form') rememberStart(view, read.form);
    navigate({ page: 'session', session: begun.session });
  };
  return (
    <div className={styles['page']}>
      <div className={styles['scroll']}>
        <div className={styles['columns']}>
          <StartForm
            workload={workload}
            detail={detail}
            draft={draft}
            onDraft={onDraft}
            detection={detection}
            problems={read.kind === 'unfinished' ? read.problems : {}}
          />
          <FlightPlanPanel
            plan={shownPlan}
            pending={(ready && pending) || detection.pending}
            error={error}
            waiting={read.kind === 'unfinished' ? read.reason : undefined}
            onRetry={renew}
          />
        </div>
      </div>
      <div className={styles['bar']}>
        {start.error === undefined || asking ? null : (
          <div className={styles['barError']}>
            <ErrorBox
              error={start.error}
              onRetry={() => {
                start.clear();
                renew();
              }}
            />
          </div>
        )}
        <span className={styles['reason']} role="status">
          <Text value={reason ?? 'Nothing is changed before you press the button.'} />
        </span>
        <Button
          icon={<Terminal aria-hidden />}
          local
          disabledReason={shownPlan === undefined ? 'There is no plan yet.' : undefined}
          onClick={() => {
            if (shownPlan === undefined) return;
            void copyText(shownPlan.commandLine).then((done) => {
              setCopied(done);
              setTimeout(() => setCopied(false), 1500);
            });
          }}
        >
          {copied ? 'Copied' : 'Copy as Slipway Command'}
        </Button>
        <Button
          kind="primary"
          pending={start.pending}
          disabledReason={reason}
          onClick={() => {
            start.clear();
            if (plan?.confirm === undefined) void launch(undefined);
            else setAsking(true);
          }}
        >
          {shownPlan?.action ?? `Start a session on ${workload.name}`}
        </Button>
      </div>
      <ConfirmDialog
        open={asking}
        title={shownPlan?.action ?? ''}
        action="Start"
        {...(shownPlan?.confirm === undefined ? {} : { type: shownPlan.confirm.type })}
        pending={start.pending}
        error={start.error}
        onClose={() => setAsking(false)}
        onConfirm={(typed) => void launch(typed)}
      >
        <p>
          <Text value={shownPlan?.confirm?.why ?? ''} />
        </p>
      </ConfirmDialog>
    </div>
  );
}
