import { ScrollText, SquareTerminal, X } from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import type { Terminal } from '../../../contract/terminals.ts';
import { StatusDot } from '../../ui/status-dot.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import styles from './dock.module.css';

/** One tab of the dock. */
export interface DockTab {
  readonly id: string;
  readonly kind: 'terminal' | 'log';
  readonly title: string;
  readonly state?: Terminal['state'] | undefined;
}

/** The tabs: arrow keys move among them, Enter shows one, Delete closes it. */
export function DockTabs({
  tabs,
  shown,
  onShow,
  onClose,
}: {
  readonly tabs: readonly DockTab[];
  readonly shown: readonly string[];
  readonly onShow: (id: string) => void;
  readonly onClose: (id: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const stop = shown[0] ?? tabs[0]?.id;
  const move = (to: number): void => {
    const all = list.current?.querySelectorAll<HTMLElement>('[role="tab"]');
    all?.[(to + all.length) % all.length]?.focus();
  };
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
          <span
            key={tab.id}
            className={styles['tab']}
            data-shown={shown.includes(tab.id) || undefined}
            role="none"
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
          </span>
        );
      })}
    </div>
  );
}
