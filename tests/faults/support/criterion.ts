import { appendFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

/** What vitest hands to a test; only its name is used. */
interface NamedTask {
  readonly name: string;
}

/**
 * The first line of every test of a fault: under which condition it passes. The command that runs the suite puts it
 * beside the result.
 */
export function passesWhen(task: NamedTask, criterion: string): void {
  tell({ name: task.name, criterion });
}

/** Something that was measured on the way: it stands in the report of the run. */
export function measured(task: NamedTask, what: string): void {
  tell({ name: task.name, measured: what });
}

function tell(line: object): void {
  const report = process.env['SLIPWAY_FAULTS_REPORT'];
  if (report !== undefined) appendFileSync(report, `${JSON.stringify(line)}\n`);
}

/**
 * Times of the suite are meant for a machine that has nothing else to do: where more wants to run than there are
 * processors, as much longer is allowed, at most four times.
 */
export function allowed(ms: number): number {
  const load = (loadavg()[0] ?? 0) / availableParallelism();
  return ms * Math.min(4, Math.max(1, load));
}
