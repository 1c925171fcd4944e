import { z } from 'zod';

/**
 * A manager that owned a field before us: what is needed to write its entry in `managedFields` again. Matches
 * the server's identity of a manager, which is all of these together.
 */
export interface FormerOwner {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  readonly time?: string | undefined;
}

/** One field of an object that is not ours: what it was, and what we set it to. */
export interface FieldChange {
  readonly path: '/spec/replicas';
  readonly from: number;
  readonly to: number;
}

/**
 * Everything needed to undo a session, from any machine and without the project. Written to the Lease, the
 * ledger and the dev object before the target changes. What is read back comes from a hostile cluster: it says
 * what to look at, and every change still asks the object itself (UID, label, present value).
 */
export interface SessionRecord {
  readonly version: 1;
  readonly session: string;
  readonly project: string;
  readonly user: string;
  readonly machine: string;
  /** ISO 8601, by the clock of the machine that started it. */
  readonly createdAt: string;
  readonly namespace: string;
  readonly target: {
    readonly apiVersion: string;
    readonly kind: 'Deployment';
    readonly name: string;
    readonly uid: string;
  };
  readonly container: string;
  readonly changes: readonly FieldChange[];
  /** Pods that were ready before; restoring waits for as many. */
  readonly readyBefore: number;
  readonly formerOwners: readonly FormerOwner[];
  /** The UID is unknown until the object was created. */
  readonly devObject: { readonly name: string; readonly uid?: string | undefined };
  /** To tell afterwards what somebody else changed meanwhile. */
  readonly before: { readonly specHash: string; readonly images: Readonly<Record<string, string>> };
  /** Dev pod and target's pods must not run at the same time (volume, host port, quota, strategy). */
  readonly exclusive: boolean;
}

/** As the API server takes them: what is read back becomes part of request paths. */
const name = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/);
const text = z.string().max(1024);

const schema = z.object({
  version: z.literal(1),
  session: z.string().regex(/^[a-z0-9]{1,40}$/),
  project: text,
  user: text,
  machine: text,
  createdAt: z.string().max(64),
  namespace: name,
  target: z.object({
    apiVersion: text,
    kind: z.literal('Deployment'),
    name,
    uid: z.string().min(1).max(128),
  }),
  container: name,
  changes: z
    .array(
      z.object({
        path: z.literal('/spec/replicas'),
        from: z.number().int().min(0).max(100_000),
        to: z.number().int().min(0).max(100_000),
      }),
    )
    .max(8),
  readyBefore: z.number().int().min(0).max(100_000),
  formerOwners: z
    .array(
      z.object({
        manager: text,
        operation: z.enum(['Apply', 'Update']),
        apiVersion: text,
        subresource: text.optional(),
        time: z.string().max(64).optional(),
      }),
    )
    .max(32),
  devObject: z.object({ name, uid: z.string().max(128).optional() }),
  before: z.object({ specHash: z.string().max(64), images: z.record(name, text) }),
  exclusive: z.boolean(),
});

export function serializeRecord(record: SessionRecord): string {
  return JSON.stringify(record);
}

/** The record in an annotation or a ledger file; undefined when it is torn, foreign or not one of ours. */
export function parseRecord(content: string | undefined): SessionRecord | undefined {
  if (content === undefined || content.length > 64 * 1024) return undefined;
  try {
    return schema.parse(JSON.parse(content));
  } catch {
    return undefined;
  }
}
