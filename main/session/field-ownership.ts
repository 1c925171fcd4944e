import { fieldManager } from './names.ts';
import type { FormerOwner } from './record.ts';
import { timeOf } from './time-of.ts';

/** One entry of `metadata.managedFields`, as far as it is read here. */
export interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly subresource?: string | undefined;
  readonly time?: unknown;
  readonly fieldsType?: string | undefined;
  readonly fieldsV1?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** True when the entry owns the field at the path, of names of fields and of keys of list items (`k:{…}`). */
export function ownsField(entry: ManagedFieldsEntry, path: readonly string[]): boolean {
  let fields: unknown = entry.fieldsV1;
  for (const part of path) {
    const key = part.startsWith('k:') ? part : `f:${part}`;
    if (!isFields(fields) || !Object.hasOwn(fields, key)) return false;
    fields = fields[key];
  }
  return true;
}

/** The manager that wrote below the path last, other than ourselves. */
export function latestWriter(
  entries: readonly ManagedFieldsEntry[] | undefined,
  path: readonly string[],
): string | undefined {
  return (entries ?? [])
    .filter((entry) => entry.manager !== fieldManager && ownsField(entry, path))
    .sort((left, right) => (timeOf(right.time) ?? 0) - (timeOf(left.time) ?? 0))[0]?.manager;
}

const replicas = ['spec', 'replicas'] as const;

/** Who owns `spec.replicas`, the latest writer first. */
export function replicasOwners(entries: readonly ManagedFieldsEntry[] | undefined): readonly FormerOwner[] {
  return (entries ?? [])
    .filter((entry) => ownsField(entry, replicas))
    .sort((left, right) => (timeOf(right.time) ?? 0) - (timeOf(left.time) ?? 0))
    .map((entry) => ({
      manager: entry.manager ?? '',
      operation: entry.operation ?? 'Update',
      apiVersion: entry.apiVersion ?? 'apps/v1',
      ...(entry.subresource === undefined ? {} : { subresource: entry.subresource }),
      ...(timeOf(entry.time) === undefined
        ? {}
        : { time: new Date(timeOf(entry.time) ?? 0).toISOString().replace('.000Z', 'Z') }),
    }));
}

export function isOurs(owner: FormerOwner): boolean {
  return owner.manager === fieldManager;
}

/**
 * The list with `spec.replicas` back at its former owners and without ours, as it was before we scaled; undefined
 * when that is what it is. A write through the scale subresource takes the field from whoever had it, and leaves
 * it with us (our value is above 0) or with nobody (0 is left out of a Scale, so it is not owned). The first
 * would make the former owner's next server-side apply of another value conflict; after the second the server
 * does not note any more who scales. A field that somebody else has taken meanwhile stays theirs.
 */
export function ownershipGivenBack(
  entries: readonly ManagedFieldsEntry[],
  formerOwners: readonly FormerOwner[],
): readonly ManagedFieldsEntry[] | undefined {
  const former = formerOwners.filter((owner) => !isOurs(owner));
  const taken = entries.some((entry) => ownsField(entry, replicas) && isForeign(entry, former));
  const kept = entries.flatMap((entry) => (isOurEntry(entry) ? withoutReplicas(entry) : [entry]));
  const result = taken ? kept : former.reduce(giveTo, kept);
  return JSON.stringify(result) === JSON.stringify(entries) ? undefined : result;
}

/**
 * The list while a session runs. As {@link ownershipGivenBack}; a field that nobody had before is ours for the
 * time being, because the server notes who scales only while somebody owns the field.
 */
export function ownershipDuringSession(
  entries: readonly ManagedFieldsEntry[],
  formerOwners: readonly FormerOwner[],
): readonly ManagedFieldsEntry[] | undefined {
  if (formerOwners.some((owner) => !isOurs(owner))) return ownershipGivenBack(entries, formerOwners);
  if (entries.some((entry) => ownsField(entry, replicas))) return undefined;
  return giveTo(entries, {
    manager: fieldManager,
    operation: 'Update',
    apiVersion: 'apps/v1',
    subresource: 'scale',
  });
}

/** True when a manager that is neither we nor a former owner has the field: it has written it since. */
export function isTakenByOthers(owner: FormerOwner, formerOwners: readonly FormerOwner[]): boolean {
  return !isOurs(owner) && !formerOwners.some((former) => isSameManager(owner, former));
}

function isForeign(entry: ManagedFieldsEntry, former: readonly FormerOwner[]): boolean {
  return !isOurEntry(entry) && !former.some((owner) => isSameManager(entry, owner));
}

function isOurEntry(entry: ManagedFieldsEntry): boolean {
  return entry.manager === fieldManager && ownsField(entry, replicas);
}

function giveTo(entries: readonly ManagedFieldsEntry[], owner: FormerOwner): readonly ManagedFieldsEntry[] {
  if (!entries.some((entry) => isSameManager(entry, owner))) return [...entries, entryOf(owner)];
  return entries.map((entry) =>
    isSameManager(entry, owner) && !ownsField(entry, replicas) ? withReplicas(entry) : entry,
  );
}

function isSameManager(
  entry: Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'apiVersion' | 'subresource'>,
  owner: FormerOwner,
): boolean {
  return (
    entry.manager === owner.manager &&
    entry.operation === owner.operation &&
    entry.apiVersion === owner.apiVersion &&
    (entry.subresource ?? '') === (owner.subresource ?? '')
  );
}

function entryOf(owner: FormerOwner): ManagedFieldsEntry {
  return {
    manager: owner.manager,
    operation: owner.operation,
    apiVersion: owner.apiVersion,
    ...(owner.subresource === undefined ? {} : { subresource: owner.subresource }),
    ...(owner.time === undefined ? {} : { time: owner.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  };
}

function withReplicas(entry: ManagedFieldsEntry): ManagedFieldsEntry {
  const fields = isFields(entry.fieldsV1) ? entry.fieldsV1 : {};
  const spec = isFields(fields['f:spec']) ? fields['f:spec'] : {};
  return { ...entry, fieldsV1: { ...fields, 'f:spec': { ...spec, 'f:replicas': {} } } };
}

/** Nothing is left of an entry that owned only this field. */
function withoutReplicas(entry: ManagedFieldsEntry): readonly ManagedFieldsEntry[] {
  const fields = isFields(entry.fieldsV1) ? entry.fieldsV1 : {};
  const spec = isFields(fields['f:spec']) ? fields['f:spec'] : {};
  const otherSpec = Object.fromEntries(Object.entries(spec).filter(([key]) => key !== 'f:replicas'));
  const otherFields = Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'f:spec'));
  const rest = Object.keys(otherSpec).length > 0 ? { ...otherFields, 'f:spec': otherSpec } : otherFields;
  return Object.keys(rest).length > 0 ? [{ ...entry, fieldsV1: rest }] : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
