import { Badge } from '../../ui/badge.tsx';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { stateText, whose, type LeftoverRow } from './leftover-model.ts';

const columns: readonly Column<LeftoverRow>[] = [
  {
    id: 'namespace',
    header: 'Namespace',
    width: 'minmax(7rem, 1fr)',
    cell: (row) => <Text value={row.namespace} />,
    sort: (row) => row.namespace,
  },
  {
    id: 'target',
    header: 'Workload',
    width: 'minmax(10rem, 1.6fr)',
    cell: (row) => <Text value={row.target} />,
    sort: (row) => row.target,
  },
  {
    id: 'tool',
    header: 'Left by',
    width: '6rem',
    cell: (row) => row.tool,
    sort: (row) => row.tool,
  },
  {
    id: 'user',
    header: 'Whose',
    width: 'minmax(8rem, 1.2fr)',
    cell: (row) => <Text value={row.machine === '' ? whose(row) : `${whose(row)} on ${row.machine}`} />,
    sort: (row) => whose(row),
  },
  {
    id: 'since',
    header: 'Since',
    width: '6.5rem',
    cell: (row) => (row.since === '' ? 'Unknown' : <Time iso={row.since} style="relative" />),
    sort: (row) => row.since,
  },
  {
    id: 'state',
    header: 'State',
    width: 'minmax(8.5rem, auto)',
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
  );
}

function keyOf(row: LeftoverRow): string {
  return row.key;
}
