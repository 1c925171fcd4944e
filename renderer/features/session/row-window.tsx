import {
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type HTMLAttributes,
  type ReactNode,
  type Ref,
} from 'react';
import rowStyles from './rows.module.css';

/** Height of a row in rem, the same for all: what is in sight is known without measuring. */
const usualRowRem = 2.0625;
/** Rows beyond each edge, so that scrolling shows no gaps. */
const overscan = 8;

export interface RowWindowHandle {
  /** Brings a row into sight and moves the focus to it. */
  focusRow(index: number): void;
  /** Rows that fit into sight. */
  readonly fitting: number;
}

interface RowWindowProps {
  readonly count: number;
  /** A row at its distance from the top, in pixels; it takes `data-row`. */
  readonly row: (index: number, top: number) => ReactNode;
  readonly attributes: HTMLAttributes<HTMLDivElement>;
  readonly listAttributes?: HTMLAttributes<HTMLDivElement> | undefined;
  /** Rows that exist now; told when they change. */
  readonly onRange?: ((first: number, end: number) => void) | undefined;
  /** Told when the list leaves its top or comes back to it. */
  readonly onTopChange?: ((atTop: boolean) => void) | undefined;
  /** Height of a row, where it is not the usual one. */
  readonly rowRem?: number | undefined;
  readonly ref?: Ref<RowWindowHandle> | undefined;
}

/** A list of any length of which only the rows in sight exist. */
export function RowWindow({
  count,
  row,
  attributes,
  listAttributes,
  onRange,
  onTopChange,
  rowRem = usualRowRem,
  ref,
}: RowWindowProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [rowHeight] = useState(
    () => rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  );
  const [view, setView] = useState({ first: 0, fitting: 30 });
  const topChange = useRef(onTopChange);
  topChange.current = onTopChange;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let atTop = true;
    const look = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - overscan);
      const fitting = Math.ceil(element.clientHeight / rowHeight);
      setView((before) =>
        before.first === first && before.fitting === fitting ? before : { first, fitting },
      );
      const isAtTop = element.scrollTop < rowHeight / 2;
      if (isAtTop !== atTop) topChange.current?.(isAtTop);
      atTop = isAtTop;
    };
    element.addEventListener('scroll', look, { passive: true });
    const resizing = new ResizeObserver(look);
    resizing.observe(element);
    look();
    return () => {
      element.removeEventListener('scroll', look);
      resizing.disconnect();
    };
  }, [rowHeight]);
  useImperativeHandle(
    ref,
    () => ({
      fitting: view.fitting,
      focusRow(index) {
        const element = scroller.current;
        if (element === null) return;
        const top = index * rowHeight;
        if (top < element.scrollTop) element.scrollTop = top;
        else if (top + rowHeight > element.scrollTop + element.clientHeight)
          element.scrollTop = top + rowHeight - element.clientHeight;
        requestAnimationFrame(() => {
          element.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus({ preventScroll: true });
        });
      },
    }),
    [rowHeight, view.fitting],
  );
  const first = Math.max(0, Math.min(view.first, count - view.fitting));
  const end = Math.min(count, first + view.fitting + 2 * overscan);
  useEffect(() => onRange?.(first, end), [onRange, first, end]);
  const rows: ReactNode[] = [];
  for (let index = first; index < end; index++) rows.push(row(index, index * rowHeight));
  return (
    <div ref={scroller} className={rowStyles['scroller']} {...attributes}>
      <div
        className={rowStyles['virtual']}
        style={{ height: count * rowHeight, '--row-height': `${rowHeight}px` } as CSSProperties}
        {...listAttributes}
      >
        {rows}
      </div>
    </div>
  );
}
