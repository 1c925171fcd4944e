import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { navigate } from './route.ts';
import styles from './shortcut-sheet.module.css';
import type { Shortcut } from './shortcuts.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** All chords by group, as they are now. */
export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const shortcuts = useShortcuts().filter(({ chord }) => chord !== undefined);
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of shortcuts)
    groups.set(shortcut.category, [...(groups.get(shortcut.category) ?? []), shortcut]);
  return (
    <Dialog
      open
      wide
      title="Keyboard Shortcuts"
      onClose={onClose}
      actions={
        <Button
          local
          onClick={() => {
            onClose();
            navigate({ page: 'settings', section: 'shortcuts' });
          }}
        >
          Change Shortcuts
        </Button>
      }
    >
      <p className={styles['note']}>
        While a terminal has the focus, chords with Ctrl and Shift alone are Slipway’s; all others go to the
        program in it.
      </p>
      <div className={styles['groups']}>
        {[...groups].map(([category, group]) => (
          <section key={category} aria-label={category}>
            <h3 className={styles['heading']}>{category}</h3>
            <dl>
              {group.map(({ id, label, chord, problem }) => (
                <div key={id} className={styles['row']}>
                  <dt className={styles['label']}>
                    {label}
                    {problem === undefined ? null : <span className={styles['problem']}>{problem}</span>}
                  </dt>
                  <dd>{chord === undefined ? null : <Kbd chord={chord} />}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
