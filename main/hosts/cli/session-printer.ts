import type { SessionEvent } from '../../../contract/session-events.ts';
import { assertNever } from '../../base/errors.ts';
import { describeCommand } from '../../dev/command-text.ts';
import type { Invocation } from './command.ts';
import { formatError, printableLine } from './output.ts';

/** More paths than this are counted instead of listed. */
const listedPaths = 20;

/**
 * Tells a session on a terminal, or as JSON lines. Without a terminal only what matters later is said: readiness,
 * conflicts, held work, errors and the end.
 */
export function printSession(invocation: Invocation): (event: SessionEvent) => void {
  if (invocation.json) return (event) => invocation.printJson(event);
  // The files of a first sync are counted; each later one has a line of its own.
  let first: { files: number; bytes: number } | undefined = { files: 0, bytes: 0 };
  return (event) => {
    switch (event.event) {
      case 'phase':
        return invocation.progress(`… ${printableLine(event.message)}`);
      case 'health':
        return event.state === 'active' || event.state === 'starting'
          ? invocation.progress(printableLine(`  ${event.service}: ${event.message}`))
          : invocation.warn(printableLine(`! ${event.service}: ${event.message}`));
      case 'sync':
        if (first !== undefined) {
          first = { files: first.files + 1, bytes: first.bytes + event.bytes };
          return invocation.status(`  ${first.files} changes${size(first.bytes)}`);
        }
        return invocation.progress(
          printableLine(
            `${event.direction === 'up' ? '↑' : '↓'} ${event.action} ${event.path}${size(event.bytes)}`,
          ),
        );
      case 'notice':
        return invocation.warn(printableLine(event.message));
      case 'command':
        if (event.state === 'output') return invocation.progress(indented(event.text));
        if (event.state === 'failed') return invocation.warn(`! ${indented(describeCommand(event)).trim()}`);
        // What it said was told when it said it.
        return invocation.progress(`  ${printableLine(describeCommand({ ...event, text: '' }))}`);
      case 'conflict':
        return invocation.warn(printableLine(`! ${event.message}`));
      case 'held':
        return invocation.warn([`! Held: ${event.reason}`, ...listed(event.paths)].join('\n'));
      case 'ready':
        first = undefined;
        return invocation.print(describeReady(event));
      case 'error':
        return invocation.warn(formatError(event));
      case 'stopped':
        return invocation.print(describeStopped(event));
      default:
        return assertNever(event);
    }
  };
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${printableLine(line)}`)
    .join('\n');
}

function size(bytes: number): string {
  if (bytes === 0) return '';
  if (bytes < 1024) return ` (${bytes} B)`;
  if (bytes < 1024 * 1024) return ` (${(bytes / 1024).toFixed(1)} KiB)`;
  return ` (${(bytes / 1024 / 1024).toFixed(1)} MiB)`;
}

function listed(paths: readonly string[]): readonly string[] {
  const shown = paths.slice(0, listedPaths).map((path) => `    ${printableLine(path)}`);
  return paths.length > listedPaths ? [...shown, `    … and ${paths.length - listedPaths} more`] : shown;
}

function describeReady(event: Extract<SessionEvent, { event: 'ready' }>): string {
  return [
    `Ready: ${event.namespace}/${event.pod} (${event.container})`,
    ...event.pairs.map((pair) => `  ${pair.local} ↔ ${pair.remote}`),
    ...event.ports.map(
      (port) =>
        `  http://127.0.0.1:${port.local} → port ${port.remote} (bound to ${port.addresses.join(', ')})`,
    ),
    'Ctrl-C ends it.',
  ].join('\n');
}

function describeStopped(event: Extract<SessionEvent, { event: 'stopped' }>): string {
  return [
    event.remaining.length === 0 ? 'Stopped.' : 'Stopped, not everything is as before:',
    ...event.restored.map((sentence) => `  ${printableLine(sentence)}`),
    ...event.kept.map((sentence) => `  Kept: ${printableLine(sentence)}`),
    ...event.remaining.map((sentence) => `  Remains: ${printableLine(sentence)}`),
  ].join('\n');
}
