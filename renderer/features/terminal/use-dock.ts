import { useMemo, useSyncExternalStore } from 'react';
import type { ParamsOf } from '../../../contract/api.ts';
import { useOpenDock } from '../../app/dock-control.ts';
import { parseMemory, withLog, withTab, type DockMemory } from './dock-memory.ts';
import { logTab, terminalTab } from './dock-tab-list.ts';

/** Kept for this window alone and over a reload: a second window has a dock of its own. */
const storageKey = 'slipway.dock';
const changed = 'slipway-dock';

function subscribe(listener: () => void): () => void {
  addEventListener(changed, listener);
  return () => removeEventListener(changed, listener);
}

function read(): string | null {
  return sessionStorage.getItem(storageKey);
}

function write(memory: DockMemory): void {
  sessionStorage.setItem(storageKey, JSON.stringify(memory));
  dispatchEvent(new Event(changed));
}

/** What the dock of this window shows, and how to change it. */
export function useDockMemory(): readonly [DockMemory, (change: (memory: DockMemory) => DockMemory) => void] {
  const text = useSyncExternalStore(subscribe, read);
  const memory = useMemo(() => parseMemory(text), [text]);
  return [
    memory,
    (change) => {
      const before = parseMemory(read());
      const after = change(before);
      if (after !== before) write(after);
    },
  ];
}

export interface DockControl {
  /** Opens the dock with this log in sight. */
  openLog(title: string, target: ParamsOf<'logs.follow'>['target']): void;
  /** Opens the dock with this shell in sight. */
  showTerminal(terminal: string): void;
}

/** Puts something into the dock, from any page. */
export function useDock(): DockControl {
  const open = useOpenDock();
  const [, update] = useDockMemory();
  return {
    openLog(title, target) {
      update((memory) => withTab(withLog(memory, title, target), logTab(JSON.stringify(target)), 0));
      open();
    },
    showTerminal(terminal) {
      update((memory) => withTab(memory, terminalTab(terminal), 0));
      open();
    },
  };
}
