import type { ReactNode } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { RowWindow } from './row-window.tsx';
import rowStyles from './rows.module.css';

interface VirtualRowsProps<Row> {
  readonly label: string;
  readonly count: number;
  readonly rowAt: (index: number) => Row | undefined;
  /** What keeps a row the same one; absent where rows have nothing to lose, so that their elements are used again. */
  readonly rowKey?: ((row: Row) => string | number) | undefined;
  /** Class of a row, for its columns. */
  readonly className?: string | undefined;
  readonly children: (row: Row, index: number) => ReactNode;
  /** Height of a row in rem, where it is not the usual one. */
  readonly rowRem?: number | undefined;
  /** Rows that exist now; told when they change. */
  readonly onRange?: ((first: number, end: number) => void) | undefined;
  readonly onTopChange?: ((atTop: boolean) => void) | undefined;
}

/** A long list to read. */
export function VirtualRows<Row>({
  label,
  count,
  rowAt,
  rowKey,
  className,
  children,
  onTopChange,
  rowRem,
  onRange,
}: VirtualRowsProps<Row>) {
  const rowClass = classNames(rowStyles['row'], className);
  return (
    <RowWindow
      count={count}
      onTopChange={onTopChange}
      onRange={onRange}
      rowRem={rowRem}
      attributes={{ tabIndex: 0, role: 'region', 'aria-label': label }}
      listAttributes={{ role: 'list', 'aria-label': label }}
      row={(index, top) => {
        const row = rowAt(index);
        return row === undefined ? null : (
          <div
            key={rowKey?.(row) ?? index}
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            className={rowClass}
            style={{ transform: `translateY(${top}px)` }}
          >
            {children(row, index)}
          </div>
        );
      }}
    />
  );
}
