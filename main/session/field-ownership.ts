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

/** True when the entry owns the field at the path, given in the names of `fieldsV1` without their `f:`. */
export function ownsField(entry: ManagedFieldsEntry, path: readonly string[]): boolean {
  let fields: unknown = entry.fieldsV1;
  for (const part of path) {
    if (!isFields(fields) || !Object.hasOwn(fields, `f:${part}`)) return false;
    fields = fields[`f:${part}`];
  }
  return true;
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
 * The list without our ownership of `spec.replicas`, and with the former owners' again when the value they
 * wrote is back. A write through the scale subresource takes the field from whoever had it and keeps it for
 * ever, so the former owner's next server-side apply of another value would conflict with us. Returns
 * undefined when nothing has to change.
 */
export function ownershipGivenBack(
  entries: readonly ManagedFieldsEntry[],
  formerOwners: readonly FormerOwner[],
  valueIsBack: boolean,
): readonly ManagedFieldsEntry[] | undefined {
  const ours = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === fieldManager && ownsField(entry, replicas);
  if (!entries.some(ours)) return undefined;
  const others = entries.some((entry) => !ours(entry) && ownsField(entry, replicas));
  const result = entries.flatMap((entry) => (ours(entry) ? withoutReplicas(entry) : [entry]));
  if (!valueIsBack || others) return result;
  for (const owner of formerOwners) {
    if (isOurs(owner)) continue;
    const index = result.findIndex((entry) => isSameManager(entry, owner));
    const entry = result[index];
    if (entry === undefined) result.push(entryOf(owner));
    else result[index] = withReplicas(entry);
  }
  return result;
}

function isSameManager(entry: ManagedFieldsEntry, owner: FormerOwner): boolean {
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
