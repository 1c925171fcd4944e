import { ArrowDown, ArrowUp } from 'lucide-react';
import type { Column } from './data-table.tsx';
import styles from './data-table.module.css';
import type { TableOrder } from './table-order.ts';

/** The head of one column; a button when it sorts. */
export function ColumnHead<Row>({
  column,
  order,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly order: TableOrder | undefined;
  readonly onSort: () => void;
}) {
  const sorted = order?.column === column.id ? order : undefined;
  const direction = sorted === undefined ? undefined : sorted.descending ? 'descending' : 'ascending';
  return (
    <div
      role="columnheader"
      aria-sort={column.sort === undefined ? undefined : (direction ?? 'none')}
      className={styles['cell']}
      data-align={column.align}
    >
      {column.sort === undefined ? (
        <span className={column.header === '' ? 'hidden-visually' : styles['headText']}>
          {column.header === '' ? 'Actions' : column.header}
        </span>
      ) : (
        <button type="button" className={styles['sort']} onClick={onSort}>
          <span className={styles['headText']}>{column.header}</span>
          <span className={styles['arrow']} aria-hidden>
            {direction === 'ascending' ? <ArrowUp /> : direction === 'descending' ? <ArrowDown /> : null}
          </span>
        </button>
      )}
    </div>
  );
}
