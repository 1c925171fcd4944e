import { Play, Search, SquareArrowOutUpRight } from 'lucide-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useActions } from '../../app/actions.ts';
import { navigate, type RouteOf } from '../../app/route.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListingView } from '../../ui/listing-view.tsx';
import { Page } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { NamespaceChooser } from './namespace-chooser.tsx';
import { emptyWords, filterRows, type Row } from './rows.ts';
import { workloadColumns } from './workload-columns.tsx';
import { useWidth } from './use-width.ts';
import styles from './workloads.module.css';

/** All workloads of some namespaces, live. */
export function WorkloadsPage({ route }: { readonly route: RouteOf<'workloads'> }) {
  const { cluster, namespaces } = route;
  const listing = useRemote('workloads.list', { cluster, namespaces: [...namespaces] });
  const clusters = useRemote('clusters.list', {});
  const retry = useAction();
  const [filter, setFilter] = useState('');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const search = useRef<HTMLInputElement>(null);
  const context = clusters.value?.items[cluster]?.context ?? '';
  const choose = (next: readonly string[]) => {
    setSelected(new Set());
    navigate({ page: 'workloads', cluster, namespaces: [...next] });
  };
  useActions([
    {
      id: 'workloads.filter',
      label: 'Filter Workloads',
      category: 'Workloads',
      chord: '/',
      run: () => {
        search.current?.focus();
        search.current?.select();
      },
    },
    {
      id: 'workloads.all-namespaces',
      label: 'Show All Namespaces',
      category: 'Workloads',
      enabled: namespaces.length > 0,
      run: () => choose([]),
    },
  ]);
  const words = emptyWords({ total: 0, filter, namespaces });
  return (
    <Page
      fill
      title="Workloads"
      subtitle={<Subtitle context={context} namespaces={namespaces} />}
      actions={
        <>
          <div className={styles['search']}>
            <Search aria-hidden className={styles['searchIcon']} />
            <TextField
              ref={search}
              label="Filter workloads"
              hideLabel
              type="search"
              placeholder="Filter  /"
              value={filter}
              onChange={setFilter}
              onKeyDown={(event) => {
                if (event.key === 'Escape') {
                  setFilter('');
                  event.currentTarget.blur();
                }
              }}
            />
          </div>
          <NamespaceChooser cluster={cluster} chosen={namespaces} onChange={choose} />
        </>
      }
    >
      <div className={styles['content']}>
        <ListingView
          listing={listing.value}
          error={listing.error}
          onRetry={() => void retry.run('clusters.retry', { cluster })}
          empty={{
            ...words,
            action:
              namespaces.length === 0 ? null : (
                <Button onClick={() => choose([])}>Show All Namespaces</Button>
              ),
          }}
        >
          {(items) => (
            <WorkloadTable
              cluster={cluster}
              items={items}
              filter={filter}
              manyNamespaces={namespaces.length !== 1}
              namespaces={namespaces}
              selected={selected}
              onSelectedChange={setSelected}
              onClearFilter={() => setFilter('')}
            />
          )}
        </ListingView>
      </div>
    </Page>
  );
}

function Subtitle({
  context,
  namespaces,
}: {
  readonly context: string;
  readonly namespaces: readonly string[];
}) {
  const where =
    namespaces.length === 0
      ? 'all namespaces'
      : namespaces.length <= 3
        ? namespaces.join(', ')
        : `${namespaces.slice(0, 2).join(', ')} and ${namespaces.length - 2} more`;
  return (
    <>
      <Text value={context} /> / <Text value={where} />
    </>
  );
}

interface WorkloadTableProps {
  readonly cluster: string;
  readonly items: readonly Row[];
  readonly filter: string;
  readonly manyNamespaces: boolean;
  readonly namespaces: readonly string[];
  readonly selected: ReadonlySet<string>;
  readonly onSelectedChange: (selected: ReadonlySet<string>) => void;
  readonly onClearFilter: () => void;
}

const rowKey = (row: Row): string => row.key;

function WorkloadTable({
  cluster,
  items,
  filter,
  manyNamespaces,
  namespaces,
  selected,
  onSelectedChange,
  onClearFilter,
}: WorkloadTableProps) {
  const rows = useMemo(() => filterRows(items, filter), [items, filter]);
  const open = useCallback(
    (row: Row, tab?: 'preflight' | 'start') =>
      navigate({
        page: 'workload',
        cluster,
        namespace: row.namespace,
        kind: row.kind,
        name: row.name,
        ...(tab === undefined ? {} : { tab }),
      }),
    [cluster],
  );
  const develop = useCallback(
    (row: Row) => (
      <Button
        small
        kind="quiet"
        icon={row.dev?.session === undefined ? <Play aria-hidden /> : <SquareArrowOutUpRight aria-hidden />}
        onClick={() =>
          row.dev?.session === undefined
            ? open(row, 'start')
            : navigate({ page: 'session', session: row.dev.session })
        }
      >
        {row.dev?.session === undefined ? 'Develop…' : 'Open Session'}
      </Button>
    ),
    [open],
  );
  const [frame, width] = useWidth();
  const columns = useMemo(
    () => workloadColumns({ manyNamespaces, width, develop }),
    [manyNamespaces, width, develop],
  );
  const chosen = rows.filter((row) => selected.has(row.key));
  return (
    <div ref={frame} className={styles['table']}>
      <DataTable
        label="Workloads"
        rows={rows}
        rowKey={rowKey}
        columns={columns}
        selected={selected}
        onSelectedChange={onSelectedChange}
        onOpen={open}
        initialOrder={{ column: 'name', descending: false }}
        empty={
          <EmptyState
            {...emptyWords({ total: items.length, filter, namespaces })}
            action={<Button onClick={onClearFilter}>Clear the Filter</Button>}
          />
        }
      />
      <BulkBar
        shown={rows.length}
        total={items.length}
        chosen={chosen}
        onPreflight={(row) => open(row, 'preflight')}
        onClear={() => onSelectedChange(new Set())}
      />
    </div>
  );
}
