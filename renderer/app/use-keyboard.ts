import { useContext, useEffect } from 'react';
import { ActionsContext } from './actions.ts';
import { chordApplies, pressedChord, type FocusPlace } from './chord.ts';
import { isMac } from './platform.ts';
import { chordTable } from './shortcuts.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** Runs actions by their chords, before anything within the page sees the keys. */
export function useKeyboard(): void {
  const registry = useContext(ActionsContext);
  const shortcuts = useShortcuts();
  useEffect(() => {
    const mac = isMac();
    const table = chordTable(shortcuts, mac);
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.isComposing || event.repeat || event.defaultPrevented) return;
      const chord = pressedChord(event);
      const id = chord === undefined ? undefined : table.get(chord);
      if (chord === undefined || id === undefined) return;
      if (!chordApplies(chord, placeOf(event.target), mac)) return;
      if (registry?.run(id) !== true) return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, [registry, shortcuts]);
}

const textTypes: ReadonlySet<string> = new Set([
  'text',
  'search',
  'number',
  'password',
  'email',
  'url',
  'tel',
]);

function placeOf(target: EventTarget | null): FocusPlace {
  if (!(target instanceof Element)) return 'page';
  if (document.querySelector('[role="dialog"][data-open], [role="alertdialog"][data-open]') !== null)
    return 'dialog';
  if (target.closest('.xterm, [data-terminal]') !== null) return 'terminal';
  if (target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable))
    return 'text';
  return target instanceof HTMLInputElement && textTypes.has(target.type) ? 'text' : 'page';
}
