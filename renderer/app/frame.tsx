import { lazy, Suspense, useEffect } from 'react';
import { ArrivalContext } from '../ui/arrival.ts';
import { BlockedContext } from '../ui/blocked.ts';
import { Announcer } from './announcer.tsx';
import { useArrivals } from './arrival.ts';
import { DockArea } from './dock-area.tsx';
import { FinishToasts } from './finish-toasts.tsx';
import { useFrameData } from './frame-data.ts';
import styles from './frame.module.css';
import { GoneBanner } from './gone-banner.tsx';
import { blockedReason, useGone } from './gone.ts';
import { GuardStrip } from './guard-strip.tsx';
import { OpenQuestions } from './open-questions.tsx';
import { PartBoundary } from './part-boundary.tsx';
import { PageOf, subjectOf } from './pages.tsx';
import { titleOf } from './place.ts';
import { Rail } from './rail.tsx';
import { Side } from './side.tsx';
import { StatusBar } from './status-bar.tsx';
import { hrefOf, type PageRoute } from './route.ts';
import { useAppearance } from './use-appearance.ts';
import { useFrameActions } from './use-frame-actions.ts';
import { useKeyboard } from './use-keyboard.ts';
import { useView, useViewStore } from './view-state.ts';
import { frameLock, useHeldLock } from './window-locks.ts';

const CommandPalette = lazy(async () => ({
  default: (await import('./command-palette.tsx')).CommandPalette,
}));
const QuickSwitch = lazy(async () => ({ default: (await import('./quick-switch.tsx')).QuickSwitch }));
const ShortcutSheet = lazy(async () => ({ default: (await import('./shortcut-sheet.tsx')).ShortcutSheet }));

/** The window's parts around the page, and what they have in common. */
export function Frame({ route }: { readonly route: PageRoute }) {
  const store = useViewStore();
  const data = useFrameData(route);
  const { clusters, sessions, session, place } = data;
  const gone = useGone();
  const side = useView((state) => state.side);
  const overlay = useView((state) => state.overlay);
  const sideOverlay = useView((state) => state.sideOverlay);
  const subject = subjectOf(route);
  const arrival = useArrivals(subject);
  useHeldLock(frameLock);
  useAppearance();
  useFrameActions(data);
  useKeyboard();
  const title = titleOf(route, place, session);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useSideOverlay(hrefOf(route), sideOverlay);
  const close = () => store.setState({ overlay: 'none' });
  return (
    <BlockedContext value={blockedReason(gone)}>
      <ArrivalContext value={arrival}>
        <SkipLink target="page">Skip to Page</SkipLink>
        <SkipLink target="dock">Skip to Dock</SkipLink>
        <div className={styles['window']}>
          <div className={styles['frame']} data-side={side} data-guard={place.cluster?.guard}>
            <header className={styles['notices']}>
              <GuardStrip cluster={place.cluster} />
              <GoneBanner gone={gone} />
            </header>
            <Rail clusters={clusters} current={place.cluster} route={route} />
            <Side data={data} />
            {sideOverlay ? (
              <div
                className={styles['shade']}
                aria-hidden
                onClick={() => store.setState({ sideOverlay: false })}
              />
            ) : null}
            <div className={styles['middle']}>
              <main id="page" tabIndex={-1} className={styles['page']}>
                <PageOf route={route} />
              </main>
              <DockArea />
            </div>
            <PartBoundary name="The status bar">
              <StatusBar data={data} />
            </PartBoundary>
          </div>
        </div>
        <FinishToasts route={route} />
        <Announcer sessions={sessions} gone={gone} />
        <PartBoundary name="What was opened over the page" again={overlay}>
          <Suspense fallback={null}>
            {overlay === 'commands' ? <CommandPalette onClose={close} /> : null}
            {overlay === 'places' ? <QuickSwitch data={data} onClose={close} /> : null}
            {overlay === 'shortcuts' ? <ShortcutSheet onClose={close} /> : null}
            <OpenQuestions />
          </Suspense>
        </PartBoundary>
      </ArrivalContext>
    </BlockedContext>
  );
}

/** Over the page, the side is there for one choice: going somewhere closes it, and Escape does. */
function useSideOverlay(href: string, open: boolean): void {
  const store = useViewStore();
  useEffect(() => store.setState({ sideOverlay: false }), [store, href]);
  useEffect(() => {
    if (!open) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') store.setState({ sideOverlay: false });
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [store, open]);
}

/** The first stop of the keyboard: past the rail and the side. The address stays, it names the page. */
function SkipLink({ target, children }: { readonly target: string; readonly children: string }) {
  return (
    <a
      className={styles['skip']}
      href={`#${target}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(target)?.focus();
      }}
    >
      {children}
    </a>
  );
}
