import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { ColumnHead } from './data-table-head.tsx';
import { DataTableRow, type RowHandlers } from './data-table-row.tsx';
import styles from './data-table.module.css';
import field from './field.module.css';
import { movedRow, nextOrder, sortedRows, toggled, withRange, type TableOrder } from './table-order.ts';

/** A column: what it shows, and what it sorts by when it does. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly sort?: ((row: Row) => string | number) | undefined;
  /** A track of CSS grid, like `8rem` or `minmax(10rem, 2fr)`; lengths in rem follow the zoom. */
  readonly width?: string | undefined;
  readonly align?: 'start' | 'end' | undefined;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly selected?: ReadonlySet<string> | undefined;
  readonly onSelectedChange?: ((selected: ReadonlySet<string>) => void) | undefined;
  readonly onOpen?: ((row: Row) => void) | undefined;
  /** Shown in place of the rows when there are none. */
  readonly empty?: ReactNode;
  /** What it is sorted by at first. */
  readonly initialOrder?: TableOrder | undefined;
}

/** Height of a row in rem: all are alike, so that thousands cost as much as those in sight. */
const rowRem = 2.0625;
const overscan = 12;

/**
 * A table of many rows: only those in sight exist. One row takes the tab stop; arrows, Home, End and Page keys move
 * it, Space selects, Shift adds everything between, Enter opens.
 */
export function DataTable<Row>({
  label,
  rows,
  rowKey,
  columns,
  selected,
  onSelectedChange,
  onOpen,
  empty,
  initialOrder,
}: DataTableProps<Row>) {
  const [order, setOrder] = useState<TableOrder | undefined>(initialOrder);
  const [activeKey, setActiveKey] = useState<string>();
  const anchor = useRef<string>(undefined);
  const scroller = useRef<HTMLDivElement>(null);
  const sort = columns.find((column) => column.id === order?.column)?.sort;
  const shown = useMemo(() => sortedRows(rows, sort, order?.descending === true), [rows, sort, order]);
  const keys = useMemo(() => shown.map(rowKey), [shown, rowKey]);
  const rowHeight = rowRem * rootFontSize();
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keys[index] ?? index,
    overscan,
    scrollPaddingStart: rowHeight,
  });
  const activeIndex = Math.max(0, activeKey === undefined ? 0 : keys.indexOf(activeKey));
  const selects = onSelectedChange !== undefined;
  const chosen = selected ?? nothing;

  const moveTo = (index: number) => {
    setActiveKey(keys[index]);
    virtualizer.scrollToIndex(index);
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus({ preventScroll: true });
    });
  };
  const selectRange = (to: number) => {
    const from = Math.max(0, keys.indexOf(anchor.current ?? keys[activeIndex] ?? ''));
    anchor.current = keys[from];
    onSelectedChange?.(withRange(chosen, keys, from, to));
  };
  const toggle = (index: number) => {
    const key = keys[index];
    if (key === undefined) return;
    anchor.current = key;
    onSelectedChange?.(toggled(chosen, key));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, index: number) => {
    // Keys of a control within the row are its own, all but the ones that move between rows.
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const next = movedRow(event.key, index, shown.length, page);
    const row = shown[index];
    if (next !== undefined && !event.altKey && !event.metaKey) {
      if (event.shiftKey && selects) selectRange(next);
      else anchor.current = undefined;
      moveTo(next);
    } else if (event.key === ' ' && selects) {
      if (event.shiftKey) selectRange(index);
      else toggle(index);
    } else if (event.key === 'Enter' && row !== undefined && onOpen !== undefined) onOpen(row);
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey) && selects)
      onSelectedChange(new Set(keys));
    else return;
    event.preventDefault();
  };

  const latest = useRef<RowHandlers>(undefined);
  latest.current = {
    focus: (index) => setActiveKey(keys[index]),
    keyDown: onKeyDown,
    toggle: (index, range) => (range ? selectRange(index) : toggle(index)),
    open: (index) => {
      const row = shown[index];
      if (row !== undefined) onOpen?.(row);
    },
  };
  const [handlers] = useState<RowHandlers>(() => ({
    focus: (index) => latest.current?.focus(index),
    keyDown: (event, index) => latest.current?.keyDown(event, index),
    toggle: (index, range) => latest.current?.toggle(index, range),
    open: (index) => latest.current?.open(index),
  }));

  const template = columns.map((column) => column.width ?? 'minmax(6rem, 1fr)').join(' ');
  const allChosen = keys.length > 0 && keys.every((key) => chosen.has(key));
  return (
    <div className={styles['frame']}>
      <div
        ref={scroller}
        className={styles['scroller']}
        role={shown.length === 0 ? undefined : 'grid'}
        aria-label={shown.length === 0 ? undefined : label}
        aria-rowcount={shown.length === 0 ? undefined : shown.length + 1}
        aria-colcount={shown.length === 0 ? undefined : columns.length + (selects ? 1 : 0)}
        aria-multiselectable={shown.length === 0 ? undefined : selects}
        style={{ ['--columns' as string]: selects ? `1.75rem ${template}` : template }}
      >
        {shown.length === 0 ? (
          empty
        ) : (
          <div role="presentation" className={styles['table']}>
            <div role="rowgroup" className={styles['head']}>
              <div role="row" aria-rowindex={1} className={classNames(styles['row'], styles['headRow'])}>
                {selects ? (
                  <div role="columnheader" className={styles['cell']}>
                    <input
                      type="checkbox"
                      className={classNames(field['box'], styles['check'])}
                      aria-label="Select all"
                      checked={allChosen}
                      ref={(element) => {
                        if (element !== null) element.indeterminate = chosen.size > 0 && !allChosen;
                      }}
                      onChange={() => onSelectedChange(allChosen ? nothing : new Set(keys))}
                    />
                  </div>
                ) : null}
                {columns.map((column) => (
                  <ColumnHead
                    key={column.id}
                    column={column}
                    order={order}
                    onSort={() => setOrder(nextOrder(order, column.id))}
                  />
                ))}
              </div>
            </div>
            <div role="rowgroup" style={{ height: virtualizer.getTotalSize() }} className={styles['rows']}>
              {virtualizer.getVirtualItems().map((item) => {
                const row = shown[item.index];
                const key = keys[item.index];
                if (row === undefined || key === undefined) return null;
                return (
                  <DataTableRow
                    key={key}
                    row={row}
                    index={item.index}
                    start={item.start}
                    columns={columns}
                    active={item.index === activeIndex}
                    selected={selects ? chosen.has(key) : undefined}
                    opens={onOpen !== undefined}
                    handlers={handlers}
                  />
                );
              })}
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

const nothing: ReadonlySet<string> = new Set();

/** CSS pixels of 1 rem, zoom included. */
function rootFontSize(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
