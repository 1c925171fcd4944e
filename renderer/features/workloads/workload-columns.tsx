import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { devWords, readyTone, shortImage, type Row } from './rows.ts';
import styles from './workloads.module.css';

interface ColumnOptions {
  readonly manyNamespaces: boolean;
  /** The button at the end of a row that can be replaced. */
  readonly develop: (row: Row) => ReactNode;
}

/** What the table of workloads shows. */
export function workloadColumns({ manyNamespaces, develop }: ColumnOptions): readonly Column<Row>[] {
  const namespace: Column<Row> = {
    id: 'namespace',
    header: 'Namespace',
    width: 'minmax(6rem, 1fr)',
    sort: (row) => row.namespace,
    cell: (row) => <span className={styles['muted']}>{<Text value={row.namespace} />}</span>,
  };
  return [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(9rem, 1.8fr)',
      sort: (row) => row.name,
      cell: (row) => (
        <span className={styles['name']}>
          <StatusDot tone={readyTone(row)} label="" />
          <Text value={row.name} />
        </span>
      ),
    },
    ...(manyNamespaces ? [namespace] : []),
    { id: 'kind', header: 'Kind', width: '6.5rem', sort: (row) => row.kind, cell: (row) => row.kind },
    {
      id: 'ready',
      header: 'Ready',
      width: '4.5rem',
      align: 'end',
      sort: (row) => row.ready / Math.max(row.desired, 1),
      cell: (row) => (
        <span className={styles['number']} data-tone={readyTone(row)}>
          {row.ready}/{row.desired}
        </span>
      ),
    },
    {
      id: 'image',
      header: 'Image',
      width: 'minmax(8rem, 1.6fr)',
      sort: (row) => row.images.join(' '),
      cell: (row) => (
        <span className={styles['image']} title={row.images.join('\n')}>
          <Text value={row.images.map(shortImage).join(', ')} mono />
        </span>
      ),
    },
    {
      id: 'owner',
      header: 'Owner',
      width: 'minmax(6rem, 1.2fr)',
      sort: (row) => row.owner ?? '',
      cell: (row) => (
        <span className={styles['muted']}>{row.owner === undefined ? null : <Text value={row.owner} />}</span>
      ),
    },
    {
      id: 'age',
      header: 'Age',
      width: '6rem',
      align: 'end',
      sort: (row) => -Date.parse(row.createdAt),
      cell: (row) => (
        <span className={styles['muted']}>
          <Time iso={row.createdAt} style="relative" />
        </span>
      ),
    },
    {
      id: 'dev',
      header: 'Session',
      width: 'minmax(7rem, 1.1fr)',
      sort: (row) => (row.dev === undefined ? '' : devWords(row.dev).text),
      cell: (row) => <DevCell row={row} />,
    },
    {
      id: 'act',
      header: '',
      width: '8rem',
      align: 'end',
      cell: (row) => (row.replaceable ? <span className={styles['act']}>{develop(row)}</span> : null),
    },
  ];
}

function DevCell({ row: { dev } }: { readonly row: Row }) {
  if (dev === undefined) return null;
  const { tone, text } = devWords(dev);
  return (
    <span title={`${dev.holder}, since ${dev.since}`}>
      <Badge tone={tone}>
        <Text value={text} />
      </Badge>
    </span>
  );
}
