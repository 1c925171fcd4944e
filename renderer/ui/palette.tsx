import { Dialog as Base } from '@base-ui/react/dialog';
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import styles from './palette.module.css';
import { movedRow } from './table-order.ts';
import { visibleLine } from './visible-text.ts';

/** One line of a palette. */
export interface PaletteRow {
  readonly id: string;
  readonly label: string;
  /** Places in the label that were found. */
  readonly positions: readonly number[];
  readonly detail?: string | undefined;
  /** At the end of the line: a chord, a sign. */
  readonly aside?: ReactNode;
  /** Why it cannot be chosen now. */
  readonly disabledReason?: string | undefined;
}

interface PaletteProps {
  /** Says what is searched, for everybody. */
  readonly label: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Best first. */
  readonly rows: readonly PaletteRow[];
  /** How many of them there are beyond `rows`. */
  readonly more: number;
  readonly empty: string;
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
}

/** A field over the window, with what answers it below: arrows move, Enter chooses, Escape closes. */
export function Palette({ label, query, onQuery, rows, more, empty, onChoose, onClose }: PaletteProps) {
  const id = useId();
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const at = Math.min(active, Math.max(0, rows.length - 1));
  const choose = (row: PaletteRow | undefined) => {
    if (row !== undefined && row.disabledReason === undefined) onChoose(row.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') choose(rows[at]);
    else {
      // Home and End stay with the text.
      const moves = event.key.startsWith('Arrow') || event.key.startsWith('Page');
      const next = moves ? movedRow(event.key, at, rows.length, 8) : undefined;
      if (next === undefined) return;
      const around =
        next === at && event.key === 'ArrowDown'
          ? 0
          : next === at && event.key === 'ArrowUp'
            ? rows.length - 1
            : next;
      setActive(around);
      list.current?.children[around]?.scrollIntoView({ block: 'nearest' });
    }
    event.preventDefault();
  };
  return (
    <Base.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup className={styles['palette']} aria-label={label} initialFocus={field}>
          <input
            ref={field}
            className={styles['field']}
            role="combobox"
            aria-label={label}
            aria-expanded={rows.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={rows.length === 0 ? undefined : `${id}-${at}`}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            placeholder={label}
            value={query}
            onKeyDown={onKeyDown}
            onChange={(event) => {
              onQuery(event.currentTarget.value);
              setActive(0);
              list.current?.scrollTo(0, 0);
            }}
          />
          <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className={styles['list']}>
            {rows.map((row, index) => (
              <div
                key={row.id}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                aria-disabled={row.disabledReason !== undefined || undefined}
                className={styles['row']}
                onPointerMove={() => setActive(index)}
                onClick={() => choose(row)}
              >
                <span className={styles['label']}>
                  <Marked text={row.label} positions={row.positions} />
                </span>
                {row.detail === undefined && row.disabledReason === undefined ? null : (
                  <span className={styles['detail']}>
                    {visibleLine(row.disabledReason ?? row.detail ?? '', 200)}
                  </span>
                )}
                {row.aside === undefined ? null : <span className={styles['aside']}>{row.aside}</span>}
              </div>
            ))}
          </div>
          <div className={styles['foot']} role="status">
            {rows.length === 0
              ? empty
              : more > 0
                ? `${more.toLocaleString()} more: type to narrow them down.`
                : ''}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The label with what was found in it set off; one that hides something is shown without marks, in full. */
function Marked({ text, positions }: { readonly text: string; readonly positions: readonly number[] }) {
  const shown = visibleLine(text, 200);
  if (positions.length === 0 || shown !== text) return <bdi>{shown}</bdi>;
  const found = new Set(positions);
  return (
    <bdi>
      {stretches(text, found).map((stretch, index) =>
        stretch.found ? (
          <mark key={index} className={styles['found']}>
            {stretch.text}
          </mark>
        ) : (
          <span key={index}>{stretch.text}</span>
        ),
      )}
    </bdi>
  );
}

function stretches(
  text: string,
  found: ReadonlySet<number>,
): readonly { readonly text: string; readonly found: boolean }[] {
  const parts: { text: string; found: boolean }[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const last = parts.at(-1);
    if (last?.found === found.has(index)) last.text += text[index] ?? '';
    else parts.push({ text: text[index] ?? '', found: found.has(index) });
  }
  return parts;
}
