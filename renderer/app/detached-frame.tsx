import { PanelBottom } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import type { DetachedRoute } from '../../contract/detached-route.ts';
import { useDock } from '../features/terminal/use-dock.ts';
import { useRemote } from '../ipc/client.ts';
import { BlockedContext } from '../ui/blocked.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Text } from '../ui/text.tsx';
import { useActions } from './actions.ts';
import styles from './detached-frame.module.css';
import { detachedPlaceOf, type DetachedPlace } from './detached-place.ts';
import { detachChord, frameShortcuts } from './frame-actions.ts';
import { GoneBanner } from './gone-banner.tsx';
import { blockedReason, useGone } from './gone.ts';
import { GuardStrip } from './guard-strip.tsx';
import { OpenQuestions } from './open-questions.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { hrefOf, navigate } from './route.ts';
import { useAppearance } from './use-appearance.ts';
import { useKeyboard } from './use-keyboard.ts';
import { useView, useViewStore } from './view-state.ts';
import { detachedLock, frameLock, heldLocks, useHeldLock } from './window-locks.ts';

const TerminalView = lazy(async () => ({
  default: (await import('../features/terminal/terminal-view.tsx')).TerminalView,
}));
const LogView = lazy(async () => ({ default: (await import('../features/logs/log-view.tsx')).LogView }));
const CommandPalette = lazy(async () => ({
  default: (await import('./command-palette.tsx')).CommandPalette,
}));
const ShortcutSheet = lazy(async () => ({ default: (await import('./shortcut-sheet.tsx')).ShortcutSheet }));

/** How long a browser may take to close the window before it is one that a page may not close. */
const closeWithinMs = 500;

/** A window with one terminal or log and nothing around it but what protects and explains it. */
export function DetachedFrame({ route }: { readonly route: DetachedRoute }) {
  const store = useViewStore();
  const overlay = useView((state) => state.overlay);
  const gone = useGone();
  const { place, missing } = usePlace(route);
  const leave = useLeave(route, place);
  useHeldLock(detachedLock(hrefOf(route)));
  useAppearance();
  useKeyboard();
  useActions([
    { ...frameShortcuts.commands, run: () => store.setState({ overlay: 'commands' }) },
    { ...frameShortcuts.shortcuts, run: () => store.setState({ overlay: 'shortcuts' }) },
    { id: 'dock.attach', label: 'Attach to Dock', category: 'Dock', chord: detachChord, run: leave },
  ]);
  useEffect(() => {
    document.title = place.title;
  }, [place.title]);
  const close = () => store.setState({ overlay: 'none' });
  return (
    <BlockedContext value={blockedReason(gone)}>
      <div className={styles['frame']} data-guard={place.cluster?.guard}>
        <header>
          <GuardStrip cluster={place.cluster} />
          <GoneBanner gone={gone} />
          <div className={styles['head']}>
            <h1 className={styles['title']}>
              <Text value={place.heading} most={160} />
            </h1>
            <Button small local icon={<PanelBottom />} onClick={leave}>
              Attach to Dock
            </Button>
          </div>
        </header>
        <main id="page" tabIndex={-1} className={styles['view']}>
          <PageBoundary key={hrefOf(route)}>
            <Suspense fallback={null}>{missing ? <Closed onLeave={leave} /> : viewOf(route)}</Suspense>
          </PageBoundary>
        </main>
      </div>
      <Suspense fallback={null}>
        {overlay === 'commands' ? <CommandPalette onClose={close} /> : null}
        {overlay === 'shortcuts' ? <ShortcutSheet onClose={close} /> : null}
        <OpenQuestions />
      </Suspense>
    </BlockedContext>
  );
}

function viewOf(route: DetachedRoute) {
  return route.page === 'terminal' ? (
    <TerminalView terminal={route.terminal} focused />
  ) : (
    <LogView target={route.target} />
  );
}

function Closed({ onLeave }: { readonly onLeave: () => void }) {
  return (
    <EmptyState
      title="This shell is closed"
      text="It was closed in another window, or Slipway was started anew since. A new one is opened on the page of its session or workload."
      action={
        <Button kind="primary" local onClick={onLeave}>
          Back to Slipway
        </Button>
      }
    />
  );
}

function usePlace(route: DetachedRoute): { readonly place: DetachedPlace; readonly missing: boolean } {
  const isTerminal = route.page === 'terminal';
  const ofSession = route.page === 'log' && route.target.kind === 'session';
  const clusters = useRemote('clusters.list', {}).value?.items;
  const sessions = useRemote('sessions.list', ofSession ? {} : undefined).value?.items;
  const terminals = useRemote('terminals.list', isTerminal ? {} : undefined).value?.items;
  return {
    place: detachedPlaceOf(route, { clusters, sessions, terminals }),
    missing: isTerminal && terminals !== undefined && terminals[route.terminal] === undefined,
  };
}

/**
 * Gives the view back: the window closes, and the one that detached it notices. Where no other window has a dock, or
 * the browser does not let a page close this one, this window becomes a whole one with the view in its dock.
 */
function useLeave(route: DetachedRoute, { heading, home }: DetachedPlace): () => void {
  const dock = useDock();
  const stay = (): void => {
    if (route.page === 'terminal') dock.showTerminal(route.terminal);
    else dock.openLog(heading.replace(/^Log of /, ''), route.target);
    navigate(home);
  };
  return () => {
    void heldLocks().then((held) => {
      if (!held.has(frameLock)) return stay();
      window.close();
      setTimeout(stay, closeWithinMs);
    });
  };
}
