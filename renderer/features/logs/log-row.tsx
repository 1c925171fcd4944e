import { memo, type CSSProperties } from 'react';
import { classNames } from '../../ui/class-names.ts';
import type { AnsiStyle } from './ansi.ts';
import type { LogRow } from './log-model.ts';
import styles from './log-view.module.css';
import { rowSegments } from './row-segments.ts';

interface RowProps {
  readonly row: LogRow;
  readonly lines: number;
  readonly query: string;
  readonly stamped: boolean;
  readonly current: boolean;
}

/** One line of a log, or a mark. Its height is known before it is drawn. */
export const Row = memo(function Row({ row, lines, query, stamped, current }: RowProps) {
  const height = { '--lines': lines } as CSSProperties;
  if (row.kind !== 'line') {
    return (
      <div className={styles['mark']} data-kind={row.kind} style={height}>
        <bdi>{row.kind === 'run' ? row.plain : `Interrupted: ${row.plain}`}</bdi>
      </div>
    );
  }
  return (
    <div className={styles['row']} style={height} data-current={current || undefined}>
      {stamped ? (
        <time className={styles['stamp']} dateTime={row.at} title={row.at}>
          {clockTime(row.at)}
        </time>
      ) : null}
      <bdi className={styles['text']} dir="ltr">
        {rowSegments(row.text, query).map((segment, index) => (
          <span
            key={index}
            className={classNames(segment.hit && styles['hit'])}
            style={cssOf(segment.style)}
            data-dim={segment.style.dim}
          >
            {segment.text}
          </span>
        ))}
      </bdi>
    </div>
  );
});

/** The time of day here, to the millisecond; always as wide. */
function clockTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

function cssOf(style: AnsiStyle): CSSProperties | undefined {
  const [color, background] = style.inverse
    ? [style.background ?? 'var(--ansi-paper)', style.color ?? 'var(--ansi-ink)']
    : [style.color, style.background];
  const lines = [style.underline && 'underline', style.strike && 'line-through'].filter(Boolean).join(' ');
  const css: CSSProperties = {};
  if (color !== undefined) css.color = cssColor(color);
  if (background !== undefined) css.backgroundColor = cssColor(background);
  if (style.bold) css.fontWeight = 700;
  if (style.italic) css.fontStyle = 'italic';
  if (lines !== '') css.textDecoration = lines;
  return css;
}

function cssColor(color: number | string): string {
  return typeof color === 'number' ? `var(--ansi-${color})` : color;
}
