import { visibleLine } from '../ui/visible-text.ts';
import { useActions } from './actions.ts';
import { frameShortcuts, mostClusterChords } from './frame-actions.ts';
import type { FrameData } from './frame-data.ts';
import { routeOfCluster } from './place.ts';
import { navigate } from './route.ts';
import { useView, useViewStore } from './view-state.ts';

/** Registers what the frame itself can do. */
export function useFrameActions(data: FrameData): void {
  const store = useViewStore();
  const lastNamespaces = useView((state) => state.lastNamespaces);
  const f = frameShortcuts;
  const clusters = data.clusters.map((cluster, index) => ({
    id: index < mostClusterChords ? `cluster.${index + 1}` : `cluster.${cluster.id}`,
    label: `Go to Cluster ${visibleLine(cluster.context, 120)}`,
    category: 'Go',
    run: () => navigate(routeOfCluster(cluster, lastNamespaces)),
    ...(index < mostClusterChords ? { chord: `Ctrl+Shift+${index + 1}` } : {}),
  }));
  useActions([
    { ...f.commands, run: () => store.setState({ overlay: 'commands' }) },
    { ...f.places, run: () => store.setState({ overlay: 'places' }) },
    { ...f.shortcuts, run: () => store.setState({ overlay: 'shortcuts' }) },
    { ...f.side, run: () => toggleSide(store) },
    { ...f.dock, run: () => store.setState({ dockOpen: !store.getState().dockOpen }) },
    { ...f.focusPage, run: () => focusWithin('#page') },
    {
      ...f.focusDock,
      run: () => {
        store.setState({ dockOpen: true });
        requestAnimationFrame(() => focusWithin('#dock'));
      },
    },
    {
      ...f.focusSide,
      run: () => {
        store.setState({ side: 'shown', sideOverlay: true });
        requestAnimationFrame(() => focusWithin('#side'));
      },
    },
    { ...f.settings, run: () => navigate({ page: 'settings' }) },
    { ...f.leftovers, run: () => navigate({ page: 'leftovers', cluster: data.place.cluster?.id }) },
    { ...f.welcome, run: () => navigate({ page: 'welcome' }) },
    { ...f.back, run: () => history.back() },
    ...clusters,
  ]);
}

function toggleSide(store: ReturnType<typeof useViewStore>): void {
  const { side, sideOverlay } = store.getState();
  store.setState({ side: side === 'shown' ? 'hidden' : 'shown', sideOverlay: !sideOverlay });
}

/** Moves the focus into a part of the frame: to what had it or would get it, else to the part itself. */
function focusWithin(part: string): void {
  const root = document.querySelector<HTMLElement>(part);
  const target = root?.querySelector<HTMLElement>(
    'h1[tabindex], .xterm-helper-textarea, [aria-current], a[href], button',
  );
  (target ?? root)?.focus();
}
