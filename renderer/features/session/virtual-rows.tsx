import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, type ReactNode } from 'react';
import { classNames } from '../../ui/class-names.ts';
import styles from './session.module.css';

/** Height of a row in rem, the same for all. */
const rowRem = 2.0625;
const overscan = 10;

interface VirtualRowsProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** Class of a row, for its columns. */
  readonly className?: string | undefined;
  readonly children: (row: Row) => ReactNode;
  /** Told when the list leaves its top or comes back to it. */
  readonly onTopChange?: ((atTop: boolean) => void) | undefined;
}

/** A long list of which only the rows in sight exist. */
export function VirtualRows<Row>({
  label,
  rows,
  rowKey,
  className,
  children,
  onTopChange,
}: VirtualRowsProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  return (
    <div
      ref={scroller}
      className={styles['scroller']}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={(event) => onTopChange?.(event.currentTarget.scrollTop < rowHeight / 2)}
    >
      <div
        role="list"
        aria-label={label}
        className={styles['virtual']}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <div
              key={rowKey(row)}
              role="listitem"
              aria-setsize={rows.length}
              aria-posinset={item.index + 1}
              className={classNames(styles['row'], className)}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {children(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
