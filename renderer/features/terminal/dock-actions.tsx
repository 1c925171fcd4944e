import { useEffect, useRef } from 'react';
import { useActions } from '../../app/actions.ts';
import { useOpenDock } from '../../app/dock-control.ts';
import { detachChord } from '../../app/frame-actions.ts';
import { detachedLock, heldLocks } from '../../app/window-locks.ts';
import { useRemote } from '../../ipc/client.ts';
import { DetachedWatch } from './detached-watch.ts';
import { shownTabs, usedTab, withReturned } from './dock-memory.ts';
import { hashOfTab, tabsOf } from './dock-tab-list.ts';
import { useDetach } from './use-detach.tsx';
import { useDockMemory } from './use-dock.ts';
import { useOffers } from './use-offers.tsx';

/** What the dock can do from anywhere, also before it was opened once. Draws nothing but what it asks. */
export function DockActions() {
  const { value: terminals } = useRemote('terminals.list', {});
  const [memory, update] = useDockMemory();
  const open = useOpenDock();
  const { offers, dialog } = useOffers();
  const { detach, isDetachable, dialog: detachDialog } = useDetach();
  useReturns();
  const tabs = tabsOf(Object.values(terminals?.items ?? {}), memory);
  const shown = shownTabs(
    memory,
    tabs.map(({ id }) => id),
  );
  const used = usedTab(memory, shown);
  useActions([
    ...offers.map(({ kind, label, run }, index) => ({
      id: `dock.${kind}.${index}`,
      label: `Open ${label}`,
      category: 'Dock',
      run,
    })),
    {
      id: 'dock.split',
      label: memory.split ? 'Show One Pane in Dock' : 'Split Dock',
      category: 'Dock',
      run: () => {
        update((before) => ({ ...before, split: !before.split }));
        open();
      },
    },
    {
      id: 'dock.detach',
      label: 'Detach',
      category: 'Dock',
      chord: detachChord,
      enabled: used !== undefined && isDetachable(used),
      run: () => {
        if (used !== undefined) detach(used);
      },
    },
  ]);
  return (
    <>
      {dialog}
      {detachDialog}
    </>
  );
}

/** How often is looked, in milliseconds, and only while something is detached. */
const lookEveryMs = 500;

/**
 * Shows detached tabs again when their windows are closed. Each such window holds a lock of the browser by its address;
 * this one looks at who holds what.
 */
function useReturns(): void {
  const [memory, update] = useDockMemory();
  const latest = useRef(memory);
  latest.current = memory;
  const watch = useRef<DetachedWatch>(undefined);
  watch.current ??= new DetachedWatch(memory.detached, Date.now());
  const some = memory.detached.length > 0;
  useEffect(() => {
    if (!some) return undefined;
    const look = async (): Promise<void> => {
      const held = await heldLocks();
      const tabs = latest.current.detached.map((tab) => {
        const hash = hashOfTab(tab, latest.current);
        return { tab, lock: hash === undefined ? undefined : detachedLock(hash) };
      });
      const returned = watch.current?.look(tabs, held, Date.now()) ?? [];
      if (returned.length > 0) update((before) => withReturned(before, returned));
    };
    const timer = setInterval(() => void look(), lookEveryMs);
    return () => {
      clearInterval(timer);
      // Nothing is detached any more: each that is from now on is waited for anew.
      watch.current?.look([], new Set(), Date.now());
    };
  }, [some]);
}
