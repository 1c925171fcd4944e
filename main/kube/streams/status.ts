import type { ExecStatus } from '../kube.ts';

/** A status message is one small JSON object; a longer one is not a status. */
export const maximumStatusBytes = 64 * 1024;

/**
 * Reads what the status channel of an exec has carried so far. Undefined while it is no complete JSON, since a
 * status may arrive in pieces.
 */
export function parseStatus(text: string): ExecStatus | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return interpretStatus(value);
}

/** What a status that cannot be read means: the command ended, and how is unknown. */
export function malformedStatus(text: string): ExecStatus {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return {
    kind: 'failed',
    reason: 'MalformedStatus',
    message: `The server's status is not readable: ${shown}`,
  };
}

/** The meaning of a Kubernetes `Status`: an exit code where it has one, never a success that it does not state. */
export function interpretStatus(value: unknown): ExecStatus {
  if (!isRecord(value)) return malformedStatus(JSON.stringify(value) ?? '');
  const code = exitCodeOf(value);
  if (value['status'] === 'Success' && (code === undefined || code === 0)) return { kind: 'exited', code: 0 };
  if (value['status'] !== 'Failure') return malformedStatus(JSON.stringify(value));
  if (code !== undefined && code !== 0) return { kind: 'exited', code };
  return {
    kind: 'failed',
    reason: textOf(value['reason']) ?? 'Unknown',
    message: textOf(value['message']) ?? 'The server gave no message.',
  };
}

function exitCodeOf(status: Record<string, unknown>): number | undefined {
  const details = status['details'];
  const causes = isRecord(details) ? details['causes'] : undefined;
  if (!Array.isArray(causes)) return undefined;
  for (const cause of causes as readonly unknown[]) {
    if (!isRecord(cause) || cause['reason'] !== 'ExitCode') continue;
    const text = textOf(cause['message']);
    if (text !== undefined && /^-?\d{1,10}$/.test(text)) return Number(text);
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
