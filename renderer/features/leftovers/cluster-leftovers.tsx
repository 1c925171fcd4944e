import { CircleHelp, Trash2, Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Cluster } from '../../../contract/clusters.ts';
import type { Leftover, LeftoverResult } from '../../../contract/leftovers.ts';
import type { Listing } from '../../../contract/listing.ts';
import { useActions } from '../../app/actions.ts';
import { useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListingView } from '../../ui/listing-view.tsx';
import { ActDialog, type Preview } from './act-dialog.tsx';
import { ExplainDialog } from './explain-dialog.tsx';
import {
  actionable,
  reasonAgainst,
  splitRows,
  stillThere,
  type LeftoverAction,
  type LeftoverRow,
} from './leftover-model.ts';
import { LeftoversTable } from './leftovers-table.tsx';
import { ResultDialog } from './result-dialog.tsx';
import { RunningElsewhere } from './running-elsewhere.tsx';
import styles from './leftovers.module.css';

/** What the user is about to do, or has done. */
type Step =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'explain'; readonly row: LeftoverRow }
  | {
      readonly kind: 'act';
      readonly action: LeftoverAction;
      readonly able: readonly LeftoverRow[];
      readonly unable: readonly LeftoverRow[];
      readonly preview: Preview | undefined;
    }
  | {
      readonly kind: 'result';
      readonly action: LeftoverAction;
      readonly rows: readonly LeftoverRow[];
      readonly results: readonly LeftoverResult[];
    };

const nothing: Step = { kind: 'nothing' };
const none: ReadonlySet<string> = new Set();

/** The list of one cluster, with what can be done to those chosen. */
export function ClusterLeftovers({
  cluster,
  onCount,
  onRefresh,
}: {
  readonly cluster: Cluster;
  readonly onCount: (count: number | undefined) => void;
  readonly onRefresh: () => void;
}) {
  const { value, error } = useRemote('leftovers.list', { cluster: cluster.id });
  const [selected, setSelected] = useState<ReadonlySet<string>>(none);
  // Held here, above the rows: the last of them goes while the dialog still says what was done to it.
  const [step, setStep] = useState<Step>(nothing);
  const count = countLeft(value);
  useEffect(() => onCount(count), [count]);
  const simple = value === undefined || Object.keys(value.items).length === 0;
  const view = (
    <ListingView
      listing={value}
      error={error}
      onRetry={onRefresh}
      empty={{
        title: 'Nothing is left over',
        text: 'Every session that was started here has ended and put back what it changed, as far as you may look.',
      }}
    >
      {(rows) => (
        <Rows
          cluster={cluster}
          rows={rows}
          selected={selected}
          onSelectedChange={setSelected}
          onStep={setStep}
        />
      )}
    </ListingView>
  );
  return (
    <div className={simple ? styles['around'] : styles['fill']}>
      {view}
      <StepDialog cluster={cluster.id} step={step} onStep={setStep} onDone={() => setSelected(none)} />
    </div>
  );
}

function Rows({
  cluster,
  rows,
  selected,
  onSelectedChange,
  onStep,
}: {
  readonly cluster: Cluster;
  readonly rows: readonly LeftoverRow[];
  readonly selected: ReadonlySet<string>;
  readonly onSelectedChange: (selected: ReadonlySet<string>) => void;
  readonly onStep: (step: Step) => void;
}) {
  const { left, running } = splitRows(rows);
  const chosen = stillThere(selected, left);
  const readOnly = cluster.guard === 'read-only';
  const [only] = chosen;
  const begin = (action: LeftoverAction) => {
    onStep({ kind: 'act', action, ...actionable(action, chosen), preview: undefined });
  };
  const explain = (row: LeftoverRow | undefined) => {
    if (row !== undefined) onStep({ kind: 'explain', row });
  };
  const reasons = {
    restore: reasonAgainst('restore', chosen, readOnly),
    remove: reasonAgainst('remove', chosen, readOnly),
    explain: chosen.length === 1 ? undefined : 'Choose one in the table first.',
  };
  useActions([
    {
      id: 'leftovers.restore',
      label: 'Restore Chosen Leftovers',
      category: 'Leftovers',
      run: () => begin('restore'),
      enabled: reasons.restore === undefined,
    },
    {
      id: 'leftovers.remove',
      label: 'Remove Chosen Leftovers',
      category: 'Leftovers',
      run: () => begin('remove'),
      enabled: reasons.remove === undefined,
    },
    {
      id: 'leftovers.explain',
      label: 'Explain Leftover',
      category: 'Leftovers',
      run: () => explain(only),
      enabled: reasons.explain === undefined,
    },
  ]);
  return (
    <>
      <div className={styles['tools']} role="toolbar" aria-label="What to do with those chosen">
        <span className={styles['chosen']} role="status">
          {chosen.length === 0 ? 'None chosen' : `${chosen.length} of ${left.length} chosen`}
        </span>
        <Button
          small
          kind="primary"
          icon={<Undo2 />}
          disabledReason={reasons.restore}
          onClick={() => begin('restore')}
        >
          Restore…
        </Button>
        <Button small icon={<Trash2 />} disabledReason={reasons.remove} onClick={() => begin('remove')}>
          Remove…
        </Button>
        <Button small icon={<CircleHelp />} disabledReason={reasons.explain} onClick={() => explain(only)}>
          Explain
        </Button>
        <span className={styles['muted']}>Enter on a row explains it.</span>
      </div>
      {left.length === 0 ? (
        <div className={styles['around']}>
          <EmptyState
            title="Nothing is left over"
            text="All sessions that were found are being worked in: see below."
          />
        </div>
      ) : (
        <LeftoversTable
          rows={left}
          selected={selected}
          onSelectedChange={onSelectedChange}
          onOpen={explain}
        />
      )}
      {running.length === 0 ? null : <RunningElsewhere rows={running} />}
    </>
  );
}

function StepDialog({
  cluster,
  step,
  onStep,
  onDone,
}: {
  readonly cluster: string;
  readonly step: Step;
  readonly onStep: (step: Step) => void;
  readonly onDone: () => void;
}) {
  const close = () => onStep(nothing);
  switch (step.kind) {
    case 'nothing':
      return null;
    case 'explain':
      return <ExplainDialog cluster={cluster} row={step.row} onClose={close} />;
    case 'act':
      return (
        <ActDialog
          cluster={cluster}
          action={step.action}
          rows={step.able}
          unable={step.unable}
          preview={step.preview}
          onPreview={(preview) => onStep({ ...step, preview })}
          onClose={close}
          onDone={(results) => {
            onDone();
            onStep({ kind: 'result', action: step.action, rows: step.able, results });
          }}
        />
      );
    case 'result':
      return <ResultDialog {...step} onClose={close} />;
  }
}

function countLeft(listing: Listing<Leftover> | undefined): number | undefined {
  if (listing === undefined || listing.state === 'loading' || listing.state === 'error') return undefined;
  return Object.values(listing.items).filter(({ state }) => state !== 'live').length;
}
