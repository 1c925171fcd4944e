import type { ReactNode } from 'react';
import { useRemote } from '../../ipc/client.ts';
import { useRoute } from '../../app/route.ts';
import { visibleLine } from '../../ui/visible-text.ts';
import { offersOf } from './dock-offers.ts';
import { useDock } from './use-dock.ts';
import { useOpenTerminal } from './use-open-terminal.tsx';

/** What can be opened from the page in sight, ready to be chosen; the dialog is to be drawn by the caller. */
export function useOffers(): {
  readonly offers: readonly {
    readonly kind: 'terminal' | 'log';
    readonly label: string;
    readonly run: () => void;
  }[];
  readonly dialog: ReactNode;
} {
  const route = useRoute();
  const { value: sessions } = useRemote('sessions.list', route.page === 'session' ? {} : undefined);
  const workload =
    route.page === 'workload'
      ? { cluster: route.cluster, namespace: route.namespace, kind: route.kind, name: route.name }
      : undefined;
  const { value: detail } = useRemote('workloads.detail', workload);
  const { open, dialog } = useOpenTerminal();
  const dock = useDock();
  const offers = offersOf(route, {
    session: route.page === 'session' ? sessions?.items[route.session]?.target : undefined,
    pods: detail === undefined ? undefined : Object.values(detail.pods.items),
  });
  return {
    offers: offers.map((offer) => ({
      kind: offer.kind,
      label: visibleLine(offer.label, 160),
      run: () => (offer.kind === 'terminal' ? open(offer.target) : dock.openLog(offer.title, offer.target)),
    })),
    dialog,
  };
}
