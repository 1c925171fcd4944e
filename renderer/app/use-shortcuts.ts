import { useMemo } from 'react';
import { useRemote } from '../ipc/client.ts';
import { useAllActions } from './actions.ts';
import { isMac } from './platform.ts';
import { shortcutsOf, type Shortcut } from './shortcuts.ts';

const none = {};

/** All actions of what is on the screen, with the chords that the user has for them. */
export function useShortcuts(): readonly Shortcut[] {
  const actions = useAllActions();
  const overrides = useRemote('settings.current', {}).value?.shortcuts ?? none;
  return useMemo(() => shortcutsOf(actions, overrides, isMac()), [actions, overrides]);
}
