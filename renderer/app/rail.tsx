import { PanelLeft, Plus, Settings } from 'lucide-react';
import { useRef, type KeyboardEvent } from 'react';
import type { Cluster } from '../../contract/clusters.ts';
import { classNames } from '../ui/class-names.ts';
import { movedRow } from '../ui/table-order.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { cut, visibleLine } from '../ui/visible-text.ts';
import { routeOfCluster } from './place.ts';
import styles from './rail.module.css';
import { hrefOf, type Route } from './route.ts';
import { useView, useViewStore } from './view-state.ts';

interface RailProps {
  readonly clusters: readonly Cluster[];
  readonly current: Cluster | undefined;
  readonly route: Route;
}

/** The clusters, one tab stop for all of them: arrows move, Enter goes there. Below: what belongs to none. */
export function Rail({ clusters, current, route }: RailProps) {
  const store = useViewStore();
  const sideOverlay = useView((state) => state.sideOverlay);
  const lastNamespaces = useView((state) => state.lastNamespaces);
  const list = useRef<HTMLUListElement>(null);
  const stop = Math.max(
    0,
    clusters.findIndex(({ id }) => id === current?.id),
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('a') ?? [])];
    const active = links.findIndex((link) => link === document.activeElement);
    const next = movedRow(event.key, active, links.length, 5);
    if (active === -1 || next === undefined) return;
    event.preventDefault();
    links[next]?.focus();
  };
  return (
    <nav aria-label="Clusters" className={styles['rail']}>
      <button
        type="button"
        className={classNames(styles['tool'], styles['narrow'])}
        aria-label="Namespaces and sessions"
        aria-expanded={sideOverlay}
        onClick={() => store.setState({ sideOverlay: !sideOverlay })}
      >
        <PanelLeft aria-hidden />
      </button>
      <div className={styles['clusters']}>
        <ul ref={list} onKeyDown={onKeyDown}>
          {clusters.map((cluster, index) => (
            <li key={cluster.id}>
              <ClusterLink
                cluster={cluster}
                current={cluster.id === current?.id}
                tabStop={index === stop}
                href={hrefOf(routeOfCluster(cluster, lastNamespaces))}
              />
            </li>
          ))}
        </ul>
        <Tooltip text="Add a cluster" names>
          <a
            className={styles['tool']}
            href={hrefOf({ page: 'settings', section: 'kubeconfig' })}
            aria-label="Add a cluster"
          >
            <Plus aria-hidden />
          </a>
        </Tooltip>
      </div>
      <Tooltip text="Settings" names>
        <a
          className={styles['tool']}
          href={hrefOf({ page: 'settings' })}
          aria-label="Settings"
          aria-current={route.page === 'settings' ? 'page' : undefined}
        >
          <Settings aria-hidden />
        </a>
      </Tooltip>
    </nav>
  );
}

function ClusterLink({
  cluster,
  current,
  tabStop,
  href,
}: {
  readonly cluster: Cluster;
  readonly current: boolean;
  readonly tabStop: boolean;
  readonly href: string;
}) {
  const context = visibleLine(cluster.context, 120);
  const guarded = cluster.guard !== 'none';
  return (
    <Tooltip
      text={`${context}${guarded ? ` (${cluster.guard})` : ''}: ${visibleLine(cluster.server, 120)}`}
      names
    >
      <a
        className={styles['cluster']}
        href={href}
        tabIndex={tabStop ? 0 : -1}
        aria-current={current ? 'true' : undefined}
        data-cluster-color={cluster.color}
        data-guard={cluster.guard}
      >
        <span className={styles['initials']} aria-hidden>
          {visibleLine(cut(cluster.initials, 3))}
        </span>
        <span className="hidden-visually">{context}</span>
        {guarded ? <span className={styles['guard']}>{cluster.guard}</span> : null}
      </a>
    </Tooltip>
  );
}
