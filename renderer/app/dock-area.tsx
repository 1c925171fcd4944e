import { ChevronDown } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { PartBoundary } from './part-boundary.tsx';
import styles from './dock-area.module.css';
import { clampDock, dockRem, useView, useViewStore } from './view-state.ts';

const DockActions = lazy(async () => ({
  default: (await import('../features/terminal/dock-actions.tsx')).DockActions,
}));
const Dock = lazy(async () => ({ default: (await import('../features/terminal/dock.tsx')).Dock }));

/**
 * The dock below the page. Its height is changed with the pointer or, on its edge, with the arrow keys; closed, what
 * is in it goes on and keeps its size, so that no terminal sees a window of no height.
 */
export function DockArea() {
  const store = useViewStore();
  const open = useView((state) => state.dockOpen);
  const height = useView((state) => state.dockHeight);
  const [used, setUsed] = useState(open);
  if (open && !used) setUsed(true);
  const section = useRef<HTMLElement>(null);
  const wasOpen = useRef(open);
  useEffect(() => {
    // In a low window it opens below the page: whoever asks for it sees it.
    if (open && !wasOpen.current) section.current?.scrollIntoView({ block: 'end' });
    wasOpen.current = open;
  }, [open]);
  const set = (rem: number) => store.setState({ dockHeight: clampDock(rem), dockOpen: true });
  return (
    <>
      <PartBoundary name="What the dock can do">
        <Suspense fallback={null}>
          <DockActions />
        </Suspense>
      </PartBoundary>
      <section
        ref={section}
        id="dock"
        aria-label="Dock"
        tabIndex={-1}
        className={styles['dock']}
        data-open={open || undefined}
        style={{ ['--dock-height' as string]: `${height}rem` }}
        inert={!open}
      >
        <DockEdge height={height} onHeight={set} onClose={() => store.setState({ dockOpen: false })} />
        <div className={styles['content']}>
          {used ? (
            <PageBoundary>
              <Suspense fallback={null}>
                <Dock />
              </Suspense>
            </PageBoundary>
          ) : null}
          <span className={styles['close']}>
            <IconButton
              small
              label="Hide Dock"
              icon={<ChevronDown />}
              onClick={() => store.setState({ dockOpen: false })}
            />
          </span>
        </div>
      </section>
    </>
  );
}

function DockEdge({
  height,
  onHeight,
  onClose,
}: {
  readonly height: number;
  readonly onHeight: (rem: number) => void;
  readonly onClose: () => void;
}) {
  const from = useRef<{ readonly y: number; readonly height: number }>(undefined);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.shiftKey ? dockRem.step * 5 : dockRem.step;
    if (event.key === 'ArrowUp') onHeight(height + step);
    else if (event.key === 'ArrowDown') onHeight(height - step);
    else if (event.key === 'Home') onHeight(dockRem.most);
    else if (event.key === 'End') onHeight(dockRem.least);
    else if (event.key === 'Enter') onClose();
    else return;
    event.preventDefault();
  };
  const onPointerMove = (event: PointerEvent) => {
    const start = from.current;
    if (start === undefined) return;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    onHeight(start.height + (start.y - event.clientY) / rem);
  };
  return (
    <div
      role="separator"
      aria-label="Height of the dock"
      aria-orientation="horizontal"
      aria-valuenow={Math.round(height)}
      aria-valuemin={dockRem.least}
      aria-valuemax={dockRem.most}
      tabIndex={0}
      className={styles['edge']}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { y: event.clientY, height };
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        from.current = undefined;
      }}
      onPointerCancel={() => {
        from.current = undefined;
      }}
      onDoubleClick={() => onHeight(dockRem.usual)}
    />
  );
}
