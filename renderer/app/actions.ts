import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { Action, ActionRegistry } from './action-registry.ts';

/** Where actions are registered; absent in a gallery, where nothing opens a palette. */
export const ActionsContext = createContext<ActionRegistry | undefined>(undefined);

/** Offers actions in the palette, by their chords and on the sheet of shortcuts, while the component is there. */
export function useActions(actions: readonly Action[]): void {
  const registry = useContext(ActionsContext);
  const [owner] = useState(() => Symbol('actions'));
  // After every render, so that `run` sees what the component sees; the registry tells nobody when all looks the same.
  useEffect(() => registry?.set(owner, actions));
  useEffect(() => () => registry?.delete(owner), [registry, owner]);
}

const none: readonly Action[] = [];

/** All actions of what is on the screen. */
export function useAllActions(): readonly Action[] {
  const registry = useContext(ActionsContext);
  return useSyncExternalStore(
    (listener) => registry?.subscribe(listener) ?? (() => undefined),
    () => registry?.all ?? none,
  );
}
