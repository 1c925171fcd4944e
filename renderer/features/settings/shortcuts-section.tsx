import { useState } from 'react';
import type { Settings } from '../../../contract/settings.ts';
import { isMac } from '../../app/platform.ts';
import type { Shortcut } from '../../app/shortcuts.ts';
import { useShortcuts } from '../../app/use-shortcuts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { ChordDialog } from './chord-dialog.tsx';
import { byCategory, matchingShortcuts } from './shortcut-groups.ts';
import type { Saver } from './use-saver.ts';
import styles from './settings.module.css';

/** All actions with their chords; one is changed by pressing another. */
export function ShortcutsSection({
  settings,
  saver,
}: {
  readonly settings: Settings;
  readonly saver: Saver;
}) {
  const shortcuts = useShortcuts();
  const [filter, setFilter] = useState('');
  const [edited, setEdited] = useState<Shortcut>();
  const [resetting, setResetting] = useState(false);
  const own = Object.keys(settings.shortcuts);
  const set = (what: string, chords: Record<string, string | null>) =>
    saver.save(what, { shortcuts: chords });
  const shown = matchingShortcuts(shortcuts, filter, isMac());
  return (
    <>
      <p className={styles['intro']}>
        While a terminal has the focus only chords with Ctrl and Shift reach Slipway: everything else goes to
        the program in it. Actions of a page, like those of a session, are listed while that page is open;
        what you chose for them stays.
      </p>
      <div className={styles['actions']}>
        <TextField
          label="Filter"
          hideLabel
          type="search"
          placeholder="Filter by name or keys"
          value={filter}
          onChange={setFilter}
        />
        <Button
          disabledReason={own.length === 0 ? 'All shortcuts are as Slipway ships them.' : undefined}
          onClick={() => setResetting(true)}
        >
          Reset All…
        </Button>
      </div>
      {byCategory(shown).map(([category, group]) => (
        <Card key={category} title={category} flush>
          <ul className={styles['rows']}>
            {group.map((shortcut) => (
              <ShortcutRow
                key={shortcut.id}
                shortcut={shortcut}
                onChange={() => setEdited(shortcut)}
                onReset={() => void set(shortcut.label, { [shortcut.id]: null })}
              />
            ))}
          </ul>
        </Card>
      ))}
      {shown.length === 0 ? <p className={styles['muted']}>No action matches “{filter}”.</p> : null}
      {edited === undefined ? null : (
        <ChordDialog
          shortcut={edited}
          others={shortcuts}
          pending={saver.pending}
          error={saver.failed?.error}
          onClose={() => setEdited(undefined)}
          onChoose={(chords) => {
            void set(edited.label, chords).then((stored) => {
              if (stored) setEdited(undefined);
            });
          }}
        />
      )}
      <ConfirmDialog
        open={resetting}
        title="Reset all shortcuts?"
        action="Reset All"
        list={own.map((id) => shortcuts.find((shortcut) => shortcut.id === id)?.label ?? id)}
        pending={saver.pending}
        error={saver.failed?.error}
        onClose={() => setResetting(false)}
        onConfirm={() => {
          void saver.save('Shortcuts', { shortcuts: null }).then((stored) => {
            if (stored) setResetting(false);
          });
        }}
      >
        <p>These go back to what Slipway ships:</p>
      </ConfirmDialog>
    </>
  );
}

function ShortcutRow({
  shortcut,
  onChange,
  onReset,
}: {
  readonly shortcut: Shortcut;
  readonly onChange: () => void;
  readonly onReset: () => void;
}) {
  const { label, chord, changed, problem } = shortcut;
  return (
    <li className={styles['shortcut']}>
      <span>
        {label} {changed ? <Badge tone="info">Yours</Badge> : null}
        {problem === undefined ? null : <span className={styles['problem']}> {problem}</span>}
      </span>
      <span>
        {chord === undefined ? <span className={styles['faint']}>None</span> : <Kbd chord={chord} />}
      </span>
      <span>
        {changed ? (
          <Button small kind="quiet" local={false} onClick={onReset}>
            Reset
          </Button>
        ) : null}
        <Button small onClick={onChange}>
          Change…
        </Button>
      </span>
    </li>
  );
}
