import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { LogModel, LogRow } from './log-model.ts';
import { Row } from './log-row.tsx';
import styles from './log-view.module.css';

/** Lines that are drawn beyond each edge. */
const overscan = 8;

interface ScrollerProps {
  readonly model: LogModel;
  /** Another number after each change of the model. */
  readonly version: number;
  readonly label: string;
  readonly following: boolean;
  readonly onFollowing: (following: boolean) => void;
  readonly wrap: boolean;
  readonly stamped: boolean;
  readonly query: string;
  /** The row to bring into sight, when it changes. */
  readonly current: LogRow | undefined;
}

/** The rows that are in sight, of however many. While it follows, the last ones are. */
export function LogScroller(props: ScrollerProps) {
  const { model, label, wrap, stamped, query, following, onFollowing, current } = props;
  const box = useRef<HTMLDivElement>(null);
  const measure = useMeasure(box, stamped);
  model.setColumns(wrap ? measure.columns : undefined);
  const [top, setTop] = useState(0);
  const place = useRef({ top: 0, gone: 0 });
  const { count, gone } = model.lines;
  const lead = model.dropped > 0 ? 1 : 0;
  const { lineHeight, height } = measure;
  const end = Math.max(0, (count + lead) * lineHeight - height);

  const scrollTo = useCallback((next: number) => {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = next;
    place.current.top = element.scrollTop;
    setTop(element.scrollTop);
  }, []);

  // What is looked at stays where it is while rows go at the top; what is followed stays at the end.
  useLayoutEffect(() => {
    const shift = gone - place.current.gone;
    place.current.gone = gone;
    if (following) {
      // The rows at the end are drawn already: nothing is read back and drawn again.
      box.current?.scrollTo({ top: end });
      place.current.top = end;
    } else if (shift > 0) scrollTo(Math.max(0, place.current.top - shift * lineHeight));
    else setTop(box.current?.scrollTop ?? 0);
  }, [props.version, following, gone, end, lineHeight, wrap, scrollTo]);

  useEffect(() => {
    const found = current === undefined ? undefined : model.placeOf(current.sequence);
    if (found !== undefined) scrollTo((found.line + lead) * lineHeight - height / 2);
  }, [current, model, lead, lineHeight, height, scrollTo]);

  const onScroll = (): void => {
    const element = box.current;
    if (element === null) return;
    const before = place.current.top;
    const atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - lineHeight / 2;
    place.current.top = element.scrollTop;
    if (!atEnd || !following) setTop(element.scrollTop);
    if (atEnd !== following && (atEnd || element.scrollTop < before - 1)) onFollowing(atEnd);
  };

  const firstLine = Math.max(0, Math.floor((following ? end : top) / lineHeight) - lead - overscan);
  const rows = model.rowsAt(firstLine, Math.ceil(height / lineHeight) + overscan * 2);
  return (
    <div
      ref={box}
      className={styles['scroller']}
      onScroll={onScroll}
      tabIndex={0}
      role="region"
      aria-label={label}
      data-wrap={wrap || undefined}
    >
      <div className={styles['all']} style={{ height: (count + lead) * lineHeight }}>
        {lead === 0 ? null : (
          <div className={styles['dropped']}>
            {model.dropped.toLocaleString()} older lines are no longer kept here
          </div>
        )}
        <div className={styles['sight']} style={{ top: ((rows[0]?.line ?? 0) + lead) * lineHeight }}>
          {rows.map(({ row, lines }) => (
            <Row
              key={row.sequence}
              row={row}
              lines={lines}
              query={query}
              stamped={stamped}
              current={row.sequence === current?.sequence}
            />
          ))}
        </div>
      </div>
      <span className={styles['probe']} aria-hidden data-probe>
        {'0'.repeat(100)}
      </span>
    </div>
  );
}

interface Measure {
  readonly lineHeight: number;
  readonly height: number;
  /** Characters beside each other. */
  readonly columns: number;
}

/** Columns of a timestamp and the gap behind it. */
const stampColumns = 13;
const paddingColumns = 3;

/** The size of the box and of its letters, now and when either changes. */
function useMeasure(box: RefObject<HTMLDivElement | null>, stamped: boolean): Measure {
  const [size, setSize] = useState({ lineHeight: 18, height: 400, width: 800, letter: 7.2 });
  useLayoutEffect(() => {
    const element = box.current;
    const probe = element?.querySelector<HTMLElement>('[data-probe]');
    if (element === null || probe === null || probe === undefined) return undefined;
    const look = (): void => {
      const lineHeight = Number.parseFloat(getComputedStyle(probe).lineHeight);
      const letter = probe.getBoundingClientRect().width / 100;
      const { clientHeight: height, clientWidth: width } = element;
      if (height === 0 || letter === 0) return;
      setSize((before) =>
        before.lineHeight === lineHeight &&
        before.height === height &&
        before.width === width &&
        before.letter === letter
          ? before
          : { lineHeight, height, width, letter },
      );
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    observer.observe(probe);
    look();
    return () => observer.disconnect();
  }, [box]);
  const columns = Math.floor(size.width / size.letter) - paddingColumns - (stamped ? stampColumns : 0);
  return { lineHeight: size.lineHeight, height: size.height, columns: Math.max(10, columns) };
}
