import { PictureInPicture2, ScrollText, SquareTerminal, X } from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import { useShortcuts } from '../../app/use-shortcuts.ts';
import { ContextMenu } from '../../ui/context-menu.tsx';
import type { MenuItem } from '../../ui/menu-items.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import type { DockTab } from './dock-tab-list.ts';
import styles from './dock.module.css';

/** The tabs: arrow keys move among them, Enter shows one, Delete closes it, and each has a menu. */
export function DockTabs({
  tabs,
  shown,
  isDetachable,
  onShow,
  onDetach,
  onClose,
}: {
  readonly tabs: readonly DockTab[];
  readonly shown: readonly string[];
  readonly isDetachable: (id: string) => boolean;
  readonly onShow: (id: string) => void;
  readonly onDetach: (id: string) => void;
  readonly onClose: (id: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const stop = shown[0] ?? tabs[0]?.id;
  const move = (to: number): void => {
    const all = list.current?.querySelectorAll<HTMLElement>('[role="tab"]');
    all?.[(to + all.length) % all.length]?.focus();
  };
  const chord = useShortcuts().find(({ id }) => id === 'dock.detach')?.chord;
  const itemsOf = ({ id }: DockTab): readonly MenuItem[] => [
    {
      label: 'Detach',
      icon: <PictureInPicture2 aria-hidden />,
      chord,
      onSelect: () => onDetach(id),
      disabledReason: isDetachable(id) ? undefined : 'Its name does not fit into an address.',
    },
    { label: 'Close', icon: <X aria-hidden />, chord: 'Delete', onSelect: () => onClose(id) },
  ];
  const onKeyDown = (event: KeyboardEvent, index: number, id: string): void => {
    if (event.key === 'ArrowRight') move(index + 1);
    else if (event.key === 'ArrowLeft') move(index - 1);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(tabs.length - 1);
    else if (event.key === 'Delete') onClose(id);
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles['tabs']} role="tablist" aria-label="Terminals and logs" ref={list}>
      {tabs.map((tab, index) => {
        const title = visibleLine(tab.title, 60);
        return (
          <ContextMenu
            key={tab.id}
            items={itemsOf(tab)}
            around={
              <span className={styles['tab']} data-shown={shown.includes(tab.id) || undefined} role="none" />
            }
          >
            <button
              type="button"
              role="tab"
              id={`tab-${tab.id}`}
              aria-selected={shown.includes(tab.id)}
              aria-controls={shown.includes(tab.id) ? `panel-${tab.id}` : undefined}
              aria-keyshortcuts="Delete"
              tabIndex={tab.id === stop ? 0 : -1}
              className={styles['name']}
              onClick={() => onShow(tab.id)}
              onAuxClick={(event) => {
                if (event.button === 1) onClose(tab.id);
              }}
              onKeyDown={(event) => onKeyDown(event, index, tab.id)}
            >
              {tab.kind === 'terminal' ? <SquareTerminal aria-hidden /> : <ScrollText aria-hidden />}
              <bdi>{title}</bdi>
              {tab.state === 'ended' || tab.state === 'lost' ? (
                <StatusDot
                  tone={tab.state === 'lost' ? 'error' : 'neutral'}
                  label={tab.state === 'lost' ? 'Lost' : 'Ended'}
                />
              ) : null}
            </button>
            <button
              type="button"
              // For the pointer: a list of tabs holds tabs alone, and Delete closes the one that has the focus.
              aria-hidden
              tabIndex={-1}
              className={styles['close']}
              title={`Close ${title}`}
              onClick={() => onClose(tab.id)}
            >
              <X aria-hidden />
            </button>
          </ContextMenu>
        );
      })}
    </div>
  );
}
