import type { ErrorValue } from '../../../contract/errors.ts';

/** What a command writes to; a parameter so that commands are tested without a process. */
export interface Terminal {
  readonly stdout: {
    write(text: string): unknown;
    readonly isTTY?: boolean | undefined;
    readonly columns?: number | undefined;
  };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean | undefined };
}

/**
 * Control characters of text that comes from a cluster, a container or a file would reach the user's terminal as
 * commands; they are shown as escapes instead.
 */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

/** The same for what has to stay on one line: a name with a line break in it must not look like a message of ours. */
export function printableLine(text: string): string {
  return printable(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
}

/** One JSON value as a line; what a terminal would obey is escaped also where JSON need not. */
export function jsonLine(value: unknown): string {
  return printable(JSON.stringify(value));
}

/** The same for the output of a program, whose colours are kept: they can do no more than colour. */
export function colouredOnly(text: string): string {
  return text
    .split(/(\u001b\[[0-9;]*m)/)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}

/** One message of up to three lines: what is, why, what to do. */
export function formatError(error: ErrorValue): string {
  const lines = [`Error: ${error.message}`];
  if (error.cause !== '' && error.cause !== error.message) lines.push(`  Why:  ${error.cause}`);
  if (error.next !== '') lines.push(`  Next: ${error.next}`);
  return lines.map((line) => printable(line).replaceAll('\n', '\n        ')).join('\n');
}

/** Rows as left-aligned columns under their headings, as kubectl prints them. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [
    headings,
    ...rows.map((row) => row.map((cell) => printable(cell).replaceAll(/[\n\t]/g, ' '))),
  ];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
