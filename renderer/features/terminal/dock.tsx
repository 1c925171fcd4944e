import { Columns2, Plus } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { keptTabs, shownTabs, withoutLog, withTab, type DockMemory } from './dock-memory.ts';
import { splitTab, tabsOf } from './dock-tab-list.ts';
import { DockTabs } from './dock-tabs.tsx';
import styles from './dock.module.css';
import { useDetach } from './use-detach.tsx';
import { useDockMemory } from './use-dock.ts';
import { useOffers } from './use-offers.tsx';

const TerminalView = lazy(async () => ({ default: (await import('./terminal-view.tsx')).TerminalView }));
const LogView = lazy(async () => ({ default: (await import('../logs/log-view.tsx')).LogView }));

/** Views that stay drawn, so that going back to one finds it where it was. */
const mostKept = 8;

/** Terminals and logs below the page, in one pane or in two beside each other. */
export function Dock() {
  const { value: terminals } = useRemote('terminals.list', {});
  const [memory, update] = useDockMemory();
  const { offers, dialog } = useOffers();
  const { detach, isDetachable, dialog: detachDialog } = useDetach();
  const action = useAction();
  const [closing, setClosing] = useState<string | undefined>(undefined);
  const items = terminals?.items ?? {};
  const tabs = tabsOf(Object.values(items), memory);
  const ids = tabs.map(({ id }) => id);
  const shown = shownTabs(memory, ids);
  const kept = useKept(shown, ids);

  const show = (id: string): void =>
    update((before) => withTab(before, id, shown.length < 2 ? 0 : before.used));
  const use = (pane: 0 | 1): void =>
    update((before) => (before.used === pane ? before : { ...before, used: pane }));
  const closeTerminal = (id: string): void => {
    setClosing(undefined);
    void action.run('terminals.close', { terminal: id });
  };
  const close = (tab: string): void => {
    const [kind, id] = splitTab(tab);
    if (kind === 'log') update((before) => withoutLog(before, id));
    else if (items[id]?.state === 'open') setClosing(id);
    else closeTerminal(id);
  };
  return (
    <div className={styles['dock']}>
      <div className={styles['bar']}>
        <DockTabs
          tabs={tabs}
          shown={shown}
          isDetachable={isDetachable}
          onShow={show}
          onDetach={detach}
          onClose={close}
        />
        <Menu
          small
          label="New Terminal or Log"
          icon={<Plus />}
          items={offers.length > 0 ? offers.map(({ label, run }) => ({ label, onSelect: run })) : noOffers}
        />
        <span className={styles['gap']} />
        <IconButton
          small
          label={memory.split ? 'Show One Pane' : 'Split'}
          icon={<Columns2 />}
          pressed={memory.split}
          onClick={() => update((before) => ({ ...before, split: !before.split }))}
        />
      </div>
      <div className={styles['panes']} data-split={shown.length > 1 || undefined}>
        {tabs.length === 0 ? (
          <EmptyState
            title="Nothing is open here"
            text={
              memory.detached.length > 0
                ? 'What was detached has a window of its own, and is here again when that is closed.'
                : offers.length === 0
                  ? 'Terminals and logs of sessions and workloads open here. Go to the page of one first.'
                  : 'Terminals and logs open here, and go on while you visit other pages.'
            }
            action={
              <div className={styles['offers']}>
                {offers.slice(0, 3).map(({ label, run }) => (
                  <Button key={label} small onClick={run}>
                    {label}
                  </Button>
                ))}
              </div>
            }
          />
        ) : null}
        {kept.map((tab) => (
          <Panel key={tab} tab={tab} memory={memory} place={shown.indexOf(tab)} onUse={use} />
        ))}
      </div>
      {dialog}
      {detachDialog}
      <ConfirmDialog
        open={closing !== undefined}
        title="End this shell?"
        action="End Shell"
        danger
        onConfirm={() => {
          if (closing !== undefined) closeTerminal(closing);
        }}
        onClose={() => setClosing(undefined)}
      >
        <p>What runs in it ends with it. Hiding the dock instead lets it go on.</p>
      </ConfirmDialog>
    </div>
  );
}

const noOffers = [
  {
    label: 'New Terminal',
    onSelect: () => undefined,
    disabledReason: 'Open the page of a session or a workload first.',
  },
];

function Panel({
  tab,
  memory,
  place,
  onUse,
}: {
  readonly tab: string;
  readonly memory: DockMemory;
  /** The pane that it is in; -1 while another tab is. */
  readonly place: number;
  readonly onUse: (pane: 0 | 1) => void;
}) {
  const [kind, id] = splitTab(tab);
  const log = memory.logs.find((candidate) => candidate.id === id);
  return (
    <div
      role="tabpanel"
      id={`panel-${tab}`}
      aria-labelledby={`tab-${tab}`}
      className={styles['panel']}
      data-pane={place < 0 ? undefined : place}
      hidden={place < 0}
      onFocus={() => onUse(place === 1 ? 1 : 0)}
    >
      <Suspense fallback={null}>
        {kind === 'terminal' ? (
          <TerminalView terminal={id} focused={place >= 0} />
        ) : log === undefined ? null : (
          <LogView target={log.target} />
        )}
      </Suspense>
    </div>
  );
}

function useKept(shown: readonly string[], ids: readonly string[]): readonly string[] {
  const before = useRef<readonly string[]>([]);
  before.current = keptTabs(before.current, shown, ids, mostKept);
  // In an order that does not change with what is seen: moving an element in the page would begin it anew.
  return before.current.toSorted();
}
