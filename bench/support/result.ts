/** One number of a benchmark. */
export interface Result {
  readonly what: string;
  /** As the goal is said; absent for what is only told. */
  readonly goal?: string | undefined;
  readonly measured: string;
  /** What it was measured against in the same run. */
  readonly against?: string | undefined;
  /** What the DevSpace command line takes for the same. */
  readonly devspace?: string | undefined;
  readonly met?: boolean | undefined;
  /** How busy the machine was. */
  readonly conditions: string;
}

/** The results as a table of Markdown. */
export function table(results: readonly Result[]): string {
  const beside = results.some(({ devspace }) => devspace !== undefined);
  const head = ['What', 'Goal', 'Measured', 'Against', ...(beside ? ['DevSpace'] : []), 'Met', 'Conditions'];
  const rows = results.map(({ what, goal, measured, against, devspace, met, conditions }) => [
    what,
    goal ?? '',
    measured,
    against ?? '',
    ...(beside ? [devspace ?? ''] : []),
    met === undefined ? '' : met ? 'yes' : 'no',
    conditions,
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
