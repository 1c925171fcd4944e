import { Check, Plus } from 'lucide-react';
import type { MouseEvent } from 'react';
import type { Namespace } from '../../contract/clusters.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import { StatusDot } from '../ui/status-dot.tsx';
import { visibleLine } from '../ui/visible-text.ts';
import { hrefOf, navigate } from './route.ts';
import { healthTone } from './session-look.ts';
import { namespaceRows, withNamespace, type NamespaceRow, type WorkloadCounts } from './side-model.ts';
import styles from './side.module.css';

interface NamespaceListProps {
  readonly cluster: string;
  readonly namespaces: readonly Namespace[];
  readonly chosen: readonly string[];
  readonly all: boolean;
  readonly sessions: readonly SessionSummary[];
  readonly counts: WorkloadCounts;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

/** From here on a filter is worth its room. */
const filterFrom = 12;

/** The namespaces of a cluster. A click looks at one; its plus, or a click with Ctrl or Cmd, adds it to what is shown. */
export function NamespaceList(props: NamespaceListProps) {
  const { cluster, namespaces, chosen, all, filter, onFilter } = props;
  const { rows, more } = namespaceRows(props);
  return (
    <>
      {namespaces.length < filterFrom ? null : (
        <div className={styles['filter']}>
          <input
            type="search"
            className={styles['filterInput']}
            aria-label="Filter namespaces"
            placeholder={`Filter ${namespaces.length.toLocaleString()} namespaces`}
            value={filter}
            spellCheck={false}
            onChange={(event) => onFilter(event.currentTarget.value)}
          />
        </div>
      )}
      <ul className={styles['list']}>
        {namespaces.length < 2 || filter !== '' ? null : (
          <li>
            <a
              className={styles['item']}
              href={hrefOf({ page: 'workloads', cluster, namespaces: [] })}
              aria-current={all ? 'page' : undefined}
            >
              <span className={styles['noDot']} />
              <span className={styles['name']}>All namespaces</span>
            </a>
          </li>
        )}
        {rows.map((row) => (
          <li key={row.name} className={styles['row']}>
            <NamespaceLink row={row} cluster={cluster} chosen={chosen} />
          </li>
        ))}
      </ul>
      {more === 0 ? null : (
        <p className={styles['note']}>{`${more.toLocaleString()} more: filter to find them.`}</p>
      )}
      {rows.length === 0 && filter !== '' ? <p className={styles['note']}>No name contains this.</p> : null}
    </>
  );
}

function NamespaceLink({
  row,
  cluster,
  chosen,
}: {
  readonly row: NamespaceRow;
  readonly cluster: string;
  readonly chosen: readonly string[];
}) {
  const name = visibleLine(row.name, 120);
  const add = () => navigate({ page: 'workloads', cluster, namespaces: withNamespace(chosen, row.name) });
  const onClick = (event: MouseEvent<HTMLElement>) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    add();
  };
  return (
    <>
      <a
        className={styles['item']}
        href={hrefOf({ page: 'workloads', cluster, namespaces: [row.name] })}
        aria-current={row.chosen ? 'page' : undefined}
        title={name}
        onClick={onClick}
      >
        {row.dev === 'none' ? (
          <span className={styles['noDot']} />
        ) : row.dev === 'other' ? (
          <StatusDot tone="neutral" label="somebody else develops here" />
        ) : (
          <StatusDot tone={healthTone(row.dev)} label={`your session: ${row.dev}`} />
        )}
        <span className={styles['name']}>{name}</span>
        <span className={styles['aside']}>{asideOf(row)}</span>
      </a>
      {chosen.length === 0 || (row.chosen && chosen.length === 1) ? null : (
        <button
          type="button"
          className={styles['add']}
          aria-label={row.chosen ? `Leave ${name} out` : `Show ${name} as well`}
          aria-pressed={row.chosen}
          title={row.chosen ? 'Leave out' : 'Show as well'}
          onClick={add}
        >
          {row.chosen ? <Check aria-hidden /> : <Plus aria-hidden />}
        </button>
      )}
    </>
  );
}

function asideOf(row: NamespaceRow): string {
  if (row.terminating) return 'terminating';
  return row.count === undefined ? '' : row.count.toLocaleString();
}
