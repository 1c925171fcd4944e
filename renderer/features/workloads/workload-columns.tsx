import type { ReactNode } from 'react';
import type { DevState } from '../../../contract/workloads.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { devWords, readyTone, shortImage, type Row } from './rows.ts';
import styles from './workloads.module.css';

interface ColumnOptions {
  readonly manyNamespaces: boolean;
  /** In rem; what matters least goes first when there is no room. */
  readonly width: number;
  /** What is at the end of a row without a session that can be replaced. */
  readonly develop: (row: Row) => ReactNode;
}

/** Widths in rem from which there is room for the image and for everything. */
const roomForImage = 44;
const roomForAll = 57;
const namespaceWidth = 8;

/** What the table of workloads shows. */
export function workloadColumns({ manyNamespaces, width, develop }: ColumnOptions): readonly Column<Row>[] {
  const namespace: Column<Row> = {
    id: 'namespace',
    header: 'Namespace',
    width: 'minmax(6rem, 1fr)',
    sort: (row) => row.namespace,
    cell: (row) => (
      <span className={styles['muted']}>
        <Text value={row.namespace} />
      </span>
    ),
  };
  const image: Column<Row> = {
    id: 'image',
    header: 'Image',
    width: 'minmax(6rem, 1.6fr)',
    sort: (row) => row.images.join(' '),
    cell: (row) => (
      <span className={styles['muted']} title={visibleLine(row.images.join(', '))}>
        <Text value={row.images.map(shortImage).join(', ')} mono />
      </span>
    ),
  };
  const kind: Column<Row> = {
    id: 'kind',
    header: 'Kind',
    width: '6rem',
    sort: (row) => row.kind,
    cell: (row) => row.kind,
  };
  const more: readonly Column<Row>[] = [
    {
      id: 'owner',
      header: 'Owner',
      width: 'minmax(5rem, 1.2fr)',
      sort: (row) => row.owner ?? '',
      cell: (row) => (
        <span
          className={styles['muted']}
          title={row.owner === undefined ? undefined : visibleLine(row.owner)}
        >
          {row.owner === undefined ? null : <Text value={row.owner} />}
        </span>
      ),
    },
    {
      id: 'age',
      header: 'Age',
      width: '4rem',
      align: 'end',
      sort: (row) => -Date.parse(row.createdAt),
      cell: (row) => (
        <span className={styles['muted']}>
          <Time iso={row.createdAt} style="relative" />
        </span>
      ),
    },
  ];
  const room = manyNamespaces ? width - namespaceWidth : width;
  return [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(8rem, 1.8fr)',
      sort: (row) => row.name,
      cell: (row) => (
        <span className={styles['name']} title={visibleLine(row.name)}>
          <StatusDot tone={readyTone(row)} label="" />
          <Text value={row.name} />
        </span>
      ),
    },
    ...(manyNamespaces ? [namespace] : []),
    ...(room >= roomForImage ? [kind] : []),
    {
      id: 'ready',
      header: 'Ready',
      width: '3.5rem',
      align: 'end',
      sort: (row) => row.ready / Math.max(row.desired, 1),
      cell: (row) => (
        <span className={styles['number']} data-tone={readyTone(row)}>
          {row.ready}/{row.desired}
        </span>
      ),
    },
    ...(room >= roomForImage ? [image] : []),
    ...(room >= roomForAll ? more : []),
    {
      id: 'session',
      header: 'Session',
      width: '8.5rem',
      sort: (row) => (row.dev === undefined ? '' : devWords(row.dev).text),
      cell: (row) => (
        <span className={styles['act']}>
          {row.dev === undefined || row.dev.session !== undefined ? (
            row.replaceable ? (
              develop(row)
            ) : null
          ) : (
            <DevBadge dev={row.dev} />
          )}
        </span>
      ),
    },
  ];
}

function DevBadge({ dev }: { readonly dev: DevState }) {
  const { tone, text } = devWords(dev);
  return (
    <span className={styles['dev']} title={visibleLine(`${dev.holder}, since ${dev.since}`)}>
      <Badge tone={tone}>
        <Text value={text} />
      </Badge>
    </span>
  );
}
