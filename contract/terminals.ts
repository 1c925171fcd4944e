import { z } from 'zod';
import { clusterId } from './clusters.ts';
import { method, state, stream } from './define.ts';
import type { ErrorValue } from './errors.ts';
import { objectName, workloadKinds } from './workloads.ts';

/** A shell in a container. It lives in main: windows attach to it and may come and go. */
export interface Terminal {
  readonly id: string;
  readonly title: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string | undefined;
  readonly session?: string | undefined;
  readonly state: 'opening' | 'open' | 'ended' | 'lost';
  /** Exit code, of `ended`. */
  readonly code?: number | undefined;
  readonly error?: ErrorValue | undefined;
}

const columns = z.number().int().min(2).max(1000);
const rows = z.number().int().min(1).max(1000);
const size = z.strictObject({ columns, rows });
export type TerminalSize = z.infer<typeof size>;
const terminalId = z.string().regex(/^[a-z0-9]{1,40}$/);
type Done = Record<string, never>;

/** What a shell is opened in: the container of a session, or of a pod. */
export const terminalTarget = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('session'), session: z.string().regex(/^[a-z0-9]{1,40}$/) }),
  z.strictObject({
    kind: z.literal('pod'),
    cluster: clusterId,
    namespace: objectName,
    pod: objectName,
    container: objectName.optional(),
    /** Typed by the user, where the context asks for it. */
    confirmation: z.string().max(512).optional(),
  }),
]);

/** What a log is followed of. */
export const logTarget = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('session'), session: z.string().regex(/^[a-z0-9]{1,40}$/) }),
  z.strictObject({
    kind: z.literal('workload'),
    cluster: clusterId,
    namespace: objectName,
    workload: z.enum(workloadKinds),
    name: objectName,
    container: objectName.optional(),
  }),
]);

export interface LogLine {
  /** ISO 8601, by the node's clock; empty when the node told none. */
  readonly at: string;
  readonly text: string;
  /** The line goes on in the next one: it was too long for one piece. */
  readonly more?: true | undefined;
}

/** How many bytes of what follows were written before the window attached: programs have had their answers to those. */
export interface TerminalReplay {
  readonly replay: number;
}

/** What came before this and is not shown yet belongs to a flood that Ctrl-C has ended: it is of no use any more. */
export interface TerminalSkip {
  readonly skipped: true;
}

/** A stretch of a log. Exactly one of the optional parts stands before the lines. */
export interface LogBatch {
  readonly lines: readonly LogLine[];
  /** What follows comes from this run of a container. */
  readonly run?: { readonly pod: string; readonly container: string } | undefined;
  /** Reading broke off here and is tried again; lines may be missing. */
  readonly interrupted?: string | undefined;
}

export const terminalsContract = {
  'terminals.list': state<{ readonly items: Readonly<Record<string, Terminal>> }>()(z.strictObject({})),
  'terminals.open': method<{ readonly terminal: string }>()(z.strictObject({ target: terminalTarget, size })),
  /** Ends the shell if it runs, and forgets it. */
  'terminals.close': method<Done>()(z.strictObject({ terminal: terminalId })),
  /** Opens a new shell in the same place, under the same id. */
  'terminals.restart': method<Done>()(z.strictObject({ terminal: terminalId, size })),
  /** Down: a {@link TerminalReplay}, then bytes, the latest 256 KiB of before first, {@link TerminalSkip} among them. Up: what was typed, or a new size. */
  'terminals.attach': stream<Uint8Array | TerminalReplay | TerminalSkip>()(
    z.strictObject({ terminal: terminalId }),
    z.union([
      z.instanceof(Uint8Array).refine((bytes) => bytes.length <= 256 * 1024),
      z.strictObject({ size }),
    ]),
  ),
  'logs.follow': stream<LogBatch>()(
    z.strictObject({ target: logTarget, tailLines: z.number().int().min(0).max(100_000) }),
    z.never(),
  ),
} as const;
