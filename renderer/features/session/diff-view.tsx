import { Fragment, useMemo, useState } from 'react';
import { visibleLine, visibleParts } from '../../ui/visible-text.ts';
import styles from './conflict.module.css';
import {
  changedCells,
  diffTexts,
  foldRows,
  plainCell,
  type DiffCell,
  type DiffLine,
  type DiffRow,
} from './text-diff.ts';
import { VirtualRows } from './virtual-rows.tsx';

/** Two texts beside each other, line by line; what is alike for long is folded. Nothing in them is more than text. */
export function DiffView({ left, right }: { readonly left: string; readonly right: string }) {
  const diff = useMemo(() => diffTexts(left, right), [left, right]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => foldRows(diff.rows, opened), [diff, opened]);
  return (
    <div className={styles['diff']}>
      <p className="hidden-visually" role="status">
        {diff.different === 0
          ? 'No line differs.'
          : `${diff.different.toLocaleString('en')} ${diff.different === 1 ? 'line differs' : 'lines differ'}.`}
        {diff.exact ? '' : ' They differ too much to be compared line by line.'}
      </p>
      <VirtualRows
        label="Lines of both versions"
        count={rows.length}
        rowAt={(index) => rows[index]}
        rowRem={1.25}
        className={styles['diffRow']}
      >
        {(row) =>
          row.kind === 'fold' ? (
            <button
              type="button"
              className={styles['foldButton']}
              style={{ gridColumn: '1 / -1' }}
              onClick={() => setOpened((before) => new Set(before).add(row.from))}
            >
              {`Show ${row.count.toLocaleString('en')} Lines That Are Alike`}
            </button>
          ) : (
            <Cells row={row} />
          )
        }
      </VirtualRows>
    </div>
  );
}

function Cells({ row }: { readonly row: Exclude<DiffRow, { kind: 'fold' }> }) {
  const { kind, left, right } = row;
  const [a, b] =
    kind === 'changed' && left !== undefined && right !== undefined
      ? changedCells(left.text, right.text)
      : [left && plainCell(left.text), right && plainCell(right.text)];
  return (
    <>
      <Cell side="left" kind={kind} line={left} cell={a} />
      <Cell side="right" kind={kind} line={right} cell={b} />
    </>
  );
}

const names = { left: 'This machine', right: 'Container' } as const;

function Cell({
  side,
  kind,
  line,
  cell,
}: {
  readonly side: 'left' | 'right';
  readonly kind: DiffRow['kind'];
  readonly line: DiffLine | undefined;
  readonly cell: DiffCell | undefined;
}) {
  if (line === undefined || cell === undefined)
    return <span className={styles['cell']} data-side={side} data-empty />;
  const differs = kind !== 'same';
  return (
    <span className={styles['cell']} data-side={side} data-kind={kind}>
      <span className={styles['number']}>
        {differs ? <span className="hidden-visually">{`${names[side]}, line `}</span> : null}
        {line.number}
      </span>
      <span className={styles['sign']} aria-hidden>
        {differs ? (side === 'left' ? '−' : '+') : ''}
      </span>
      <bdi className={styles['line']} dir="ltr" title={visibleLine(line.text, 1000)}>
        {cell.skipped ? '…' : null}
        <Visible value={cell.before} />
        {cell.changed === '' ? null : (
          <span className={styles['different']}>
            <Visible value={cell.changed} />
          </span>
        )}
        <Visible value={cell.after} />
        {cell.cut ? '…' : null}
        {line.open === true ? <span className={styles['mark']}>no line feed</span> : null}
      </bdi>
    </span>
  );
}

/** Controls, bidi marks and what else is not seen stand as marks; a tab stays a tab. */
function Visible({ value }: { readonly value: string }) {
  return (
    <>
      {visibleParts(value, { lines: true }).map((part, index) =>
        part.kind === 'plain' ? (
          <Fragment key={index}>{part.text}</Fragment>
        ) : (
          <span key={index} className={styles['mark']}>
            {part.text}
          </span>
        ),
      )}
    </>
  );
}
