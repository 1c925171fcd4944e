import { memo, type KeyboardEvent, type MouseEvent, type ReactElement } from 'react';
import type { Column } from './data-table.tsx';
import { classNames } from './class-names.ts';
import styles from './data-table.module.css';
import field from './field.module.css';

interface RowProps<Row> {
  readonly row: Row;
  readonly index: number;
  /** Distance from the first row, in pixels. */
  readonly start: number;
  readonly columns: readonly Column<Row>[];
  /** Has the table's tab stop. */
  readonly active: boolean;
  /** Undefined in a table without selection. */
  readonly selected: boolean | undefined;
  readonly opens: boolean;
  readonly handlers: RowHandlers;
}

/** What rows tell their table; the same object for its whole life, so that rows in sight stay as they are while others come. */
export interface RowHandlers {
  focus(index: number): void;
  keyDown(event: KeyboardEvent<HTMLElement>, index: number): void;
  toggle(index: number, range: boolean): void;
  open(index: number): void;
}

/** One row in sight. A click opens it, with Ctrl, Cmd or Shift it selects; controls within it act for themselves. */
export const DataTableRow = memo(function DataTableRow<Row>({
  row,
  index,
  start,
  columns,
  active,
  selected,
  opens,
  handlers,
}: RowProps<Row>) {
  const onClick = (event: MouseEvent<HTMLElement>) => {
    if (event.target instanceof Element && event.target.closest('a, button, input, label') !== null) return;
    if (selected !== undefined && (event.shiftKey || event.ctrlKey || event.metaKey))
      handlers.toggle(index, event.shiftKey);
    else if (document.getSelection()?.isCollapsed !== false) handlers.open(index);
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-row={index}
      data-opens={opens || undefined}
      tabIndex={active ? 0 : -1}
      className={styles['row']}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={(event) => {
        if (event.target === event.currentTarget) handlers.focus(index);
      }}
      onKeyDown={(event) => handlers.keyDown(event, index)}
      onClick={onClick}
      onMouseDown={(event) => {
        if (event.shiftKey) event.preventDefault();
      }}
    >
      {selected === undefined ? null : (
        <div role="gridcell" className={styles['cell']}>
          <input
            type="checkbox"
            className={classNames(field['box'], styles['check'])}
            aria-label={`Select row ${index + 1}`}
            tabIndex={-1}
            checked={selected}
            onChange={(event) =>
              handlers.toggle(index, event.nativeEvent instanceof PointerEvent && event.nativeEvent.shiftKey)
            }
          />
        </div>
      )}
      {columns.map((column) => (
        <div key={column.id} role="gridcell" className={styles['cell']} data-align={column.align}>
          <div className={styles['content']}>{column.cell(row)}</div>
        </div>
      ))}
    </div>
  );
}) as <Row>(props: RowProps<Row>) => ReactElement;
