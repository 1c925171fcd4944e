import { useContext, useMemo, useState } from 'react';
import { Kbd } from '../ui/kbd.tsx';
import { Palette } from '../ui/palette.tsx';
import { ActionsContext, useAllActions } from './actions.ts';
import { rankChoices } from './palette-score.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { rememberChoice, useView, useViewStore } from './view-state.ts';

/** Rows that are shown of what was found. */
const mostRows = 100;

/** Every action there is, by name. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const store = useViewStore();
  const registry = useContext(ActionsContext);
  const actions = useAllActions();
  const shortcuts = useShortcuts();
  const recent = useView((state) => state.recentActions);
  const [query, setQuery] = useState('');
  const choices = useMemo(
    () =>
      actions
        .filter(({ id }) => id !== 'palette.open')
        .map((action) => ({ ...action, detail: action.category })),
    [actions],
  );
  const ranked = useMemo(() => rankChoices(choices, query, recent), [choices, query, recent]);
  const chords = new Map(shortcuts.map(({ id, chord }) => [id, chord]));
  return (
    <Palette
      label="Type the name of a command"
      query={query}
      onQuery={setQuery}
      rows={ranked.slice(0, mostRows).map(({ item, positions }) => {
        const chord = chords.get(item.id);
        return {
          id: item.id,
          label: item.label,
          positions,
          detail: item.category,
          aside: chord === undefined ? undefined : <Kbd chord={chord} />,
          disabledReason: item.enabled === false ? `${item.category} · not possible now` : undefined,
        };
      })}
      more={Math.max(0, ranked.length - mostRows)}
      empty="No command has a name like that."
      onClose={onClose}
      onChoose={(id) => {
        rememberChoice(store, 'recentActions', id);
        onClose();
        // After the palette gave the focus back, so that what is opened keeps it.
        setTimeout(() => registry?.run(id));
      }}
    />
  );
}
