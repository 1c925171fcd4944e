import { Folder } from 'lucide-react';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import type { FolderEntry } from '../../../contract/app.ts';
import { Text } from '../../ui/text.tsx';
import styles from './folders.module.css';

/** Rows that Page keys move by. */
const pageRows = 10;

/**
 * Folders by name: arrows, Home, End and Page keys move, Enter or a double click opens, Backspace goes up, and any
 * other key goes on typing in the path.
 */
export function FolderList({
  id,
  label,
  entries,
  active,
  onActive,
  onOpen,
  onUp,
  onType,
}: {
  readonly id: string;
  readonly label: string;
  readonly entries: readonly FolderEntry[];
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly onOpen: (entry: FolderEntry) => void;
  readonly onUp: () => void;
  readonly onType: () => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active, entries]);
  const onKeyDown = (event: KeyboardEvent) => {
    const to = movedTo(event.key, active, entries.length);
    const entry = entries[active];
    if (to !== undefined) onActive(to);
    else if (event.key === 'Enter' && entry !== undefined) onOpen(entry);
    else if (event.key === 'Backspace' || event.key === 'ArrowLeft') onUp();
    else if (event.key === 'ArrowRight' && entry !== undefined) onOpen(entry);
    else {
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) onType();
      return;
    }
    event.preventDefault();
  };
  return (
    <div
      ref={list}
      id={id}
      className={styles['list']}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={entries[active] === undefined ? undefined : `${id}-${active}`}
      onKeyDown={onKeyDown}
    >
      {entries.map((entry, index) => (
        <div
          key={entry.name}
          id={`${id}-${index}`}
          className={styles['entry']}
          role="option"
          aria-selected={index === active}
          onClick={() => onActive(index)}
          onDoubleClick={() => onOpen(entry)}
        >
          <Folder aria-hidden />
          <span className={styles['name']}>
            <Text value={entry.name} />
          </span>
          <span className={styles['marks']}>{entry.marks.join(', ')}</span>
        </div>
      ))}
    </div>
  );
}

function movedTo(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  const within = (index: number) => Math.min(count - 1, Math.max(0, index));
  switch (key) {
    case 'ArrowDown':
      return within(at + 1);
    case 'ArrowUp':
      return within(at - 1);
    case 'PageDown':
      return within(at + pageRows);
    case 'PageUp':
      return within(at - pageRows);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
