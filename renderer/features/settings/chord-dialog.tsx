import { useRef, useState } from 'react';
import type { ErrorValue } from '../../../contract/errors.ts';
import { pressedChord } from '../../app/chord.ts';
import { isMac } from '../../app/platform.ts';
import type { Shortcut } from '../../app/shortcuts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { judgeChord, type PressedChord } from './shortcut-groups.ts';
import styles from './settings.module.css';

/** Takes the next chord that is pressed. Within a dialog no chord runs anything, so any can be pressed. */
export function ChordDialog({
  shortcut,
  others,
  pending,
  error,
  onChoose,
  onClose,
}: {
  readonly shortcut: Shortcut;
  readonly others: readonly Shortcut[];
  readonly pending: boolean;
  readonly error: ErrorValue | undefined;
  /** Chords by action; an empty text is none. */
  readonly onChoose: (chords: Record<string, string>) => void;
  readonly onClose: () => void;
}) {
  const [pressed, setPressed] = useState<PressedChord>({ kind: 'nothing' });
  const field = useRef<HTMLDivElement>(null);
  const chord = 'chord' in pressed ? pressed.chord : undefined;
  const taken = pressed.kind === 'taken' ? pressed.by : [];
  return (
    <Dialog
      open
      title={`Shortcut of ${shortcut.label}`}
      onClose={onClose}
      initialFocus={field}
      actions={
        <>
          <Button local onClick={onClose}>
            Cancel
          </Button>
          {shortcut.chord === undefined ? null : (
            <Button pending={pending} onClick={() => onChoose({ [shortcut.id]: '' })}>
              No Shortcut
            </Button>
          )}
          <Button
            kind="primary"
            pending={pending}
            disabledReason={chord === undefined ? 'Press a chord first.' : undefined}
            onClick={() => {
              if (chord === undefined) return;
              onChoose({ ...Object.fromEntries(taken.map(({ id }) => [id, ''])), [shortcut.id]: chord });
            }}
          >
            {taken.length === 0 ? 'Use It' : 'Take It'}
          </Button>
        </>
      }
    >
      <div
        ref={field}
        className={styles['capture']}
        tabIndex={0}
        role="group"
        aria-label="Press the new shortcut here"
        onKeyDown={(event) => {
          if (event.key === 'Tab' || event.key === 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          const next = judgeChord(pressedChord(event), shortcut.id, others, isMac());
          if (next.kind !== 'nothing') setPressed(next);
        }}
      >
        {chord === undefined ? 'Press the new shortcut' : <Kbd chord={chord} />}
      </div>
      <p role="status" className={styles['muted']} style={{ minHeight: '2.5rem' }}>
        {sentence(pressed, shortcut)}
      </p>
      {error === undefined ? null : <ErrorBox error={error} />}
    </Dialog>
  );
}

function sentence(pressed: PressedChord, { defaultChord }: Shortcut): string {
  switch (pressed.kind) {
    case 'nothing':
      return defaultChord === undefined
        ? 'It has none by default.'
        : 'Tab leaves the field, Escape the dialog.';
    case 'unusable':
      return pressed.reason;
    case 'free':
      return 'No other action here has it.';
    case 'taken':
      return `${pressed.by.map(({ label }) => label).join(' and ')} has it, and would have none then.`;
  }
}
