import { Badge } from '../../ui/badge.tsx';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { stateText, whose, type LeftoverRow } from './leftover-model.ts';
import styles from './leftovers.module.css';

const columns: readonly Column<LeftoverRow>[] = [
  {
    id: 'namespace',
    header: 'Namespace',
    width: 'minmax(7rem, 7fr)',
    cell: (row) => <Text value={row.namespace} />,
    sort: (row) => row.namespace,
  },
  {
    id: 'target',
    header: 'Workload',
    width: 'minmax(9rem, 9fr)',
    cell: (row) => <Text value={row.target} />,
    sort: (row) => row.target,
  },
  {
    id: 'tool',
    header: 'Left by',
    width: '5rem',
    cell: (row) => row.tool,
    sort: (row) => row.tool,
  },
  {
    id: 'user',
    header: 'Whose',
    width: 'minmax(8rem, 8fr)',
    cell: (row) => <Text value={row.machine === '' ? whose(row) : `${whose(row)} on ${row.machine}`} />,
    sort: (row) => whose(row),
  },
  {
    id: 'since',
    header: 'Since',
    width: '5rem',
    cell: (row) => (row.since === '' ? 'Unknown' : <Time iso={row.since} style="relative" />),
    sort: (row) => row.since,
  },
  {
    id: 'state',
    header: 'State',
    width: '7.5rem',
    cell: (row) => {
      const { word, sentence } = stateText(row);
      return (
        <span title={sentence}>
          <Badge tone={row.can.includes('restore') ? 'warn' : 'neutral'}>{word}</Badge>
        </span>
      );
    },
    sort: (row) => stateText(row).word,
  },
];

/** Everything that is left over in one cluster. */
export function LeftoversTable({
  rows,
  selected,
  onSelectedChange,
  onOpen,
}: {
  readonly rows: readonly LeftoverRow[];
  readonly selected: ReadonlySet<string>;
  readonly onSelectedChange: (selected: ReadonlySet<string>) => void;
  readonly onOpen: (row: LeftoverRow) => void;
}) {
  return (
    <div className={styles['table']}>
      <DataTable
        label="Leftovers"
        rows={rows}
        rowKey={keyOf}
        columns={columns}
        selected={selected}
        onSelectedChange={onSelectedChange}
        onOpen={onOpen}
        initialOrder={{ column: 'namespace', descending: false }}
      />
    </div>
  );
}

function keyOf(row: LeftoverRow): string {
  return row.key;
}
