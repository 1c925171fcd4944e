import type { z } from 'zod';
import { applyMerge, diffMerge } from '../../contract/merge-patch.ts';
import { settings, type Settings } from '../../contract/settings.ts';
import { SlipwayError } from '../base/errors.ts';

/** Bound on the settings as a file. */
export const maximumSettingsBytes = 1024 * 1024;
/** Deeper than any setting lies. */
const maximumDepth = 16;

/** What a settings file says, as far as it can be understood. */
export interface StoredSettings {
  readonly value: Settings;
  /** Keys of a newer version: kept as they are. */
  readonly further: Readonly<Record<string, unknown>>;
  /** What is wrong with the file, a clause each; empty when nothing is. */
  readonly damage: readonly string[];
  /** False when a guard may have been lost with the damage. */
  readonly guardsKnown: boolean;
}

export const defaultSettings: Settings = settings.parse({});

/** Reads the text of a settings file; undefined when there is none. Takes what is good of a damaged one. */
export function parseStoredSettings(text: string | undefined): StoredSettings {
  if (text === undefined) return { value: defaultSettings, further: {}, damage: [], guardsKnown: true };
  if (text.length > maximumSettingsBytes) return lost(`it is larger than ${maximumSettingsBytes} bytes`);
  const raw = parseJson(text);
  if (!isObject(raw)) return lost('it is not a JSON object');
  const entries = Object.entries(raw);
  const known = entries.filter(([key]) => Object.hasOwn(settings.shape, key));
  const further = Object.fromEntries(entries.filter(([key]) => !Object.hasOwn(settings.shape, key)));
  const whole = settings.safeParse(Object.fromEntries(known));
  if (whole.success) return { value: whole.data, further, damage: [], guardsKnown: true };
  return { ...salvage(known), further };
}

function lost(damage: string): StoredSettings {
  return { value: defaultSettings, further: {}, damage: [damage], guardsKnown: false };
}

/** What is good of each key, and of each cluster part by part: a guard is not lost with what stands beside it. */
function salvage(known: readonly (readonly [string, unknown])[]): Omit<StoredSettings, 'further'> {
  const good: Record<string, unknown> = {};
  const damage: string[] = [];
  let guardsKnown = true;
  const take = (key: string, value: unknown): unknown => {
    const parsed = settings.partial().safeParse({ [key]: value });
    if (parsed.success) return value;
    damage.push(complaintOf(parsed.error));
    return undefined;
  };
  const takeCluster = (id: string, entry: unknown): readonly (readonly [string, unknown])[] => {
    if (!isObject(entry)) {
      take('clusters', { [id]: entry });
      guardsKnown = false;
      return [];
    }
    return Object.entries(entry).filter(([part, chosen]) => {
      const taken = take('clusters', { [id]: { [part]: chosen } }) !== undefined;
      if (!taken && part === 'guard') guardsKnown = false;
      return taken;
    });
  };
  for (const [key, value] of known) {
    if (key === 'clusters' && isObject(value)) {
      const clusters = Object.entries(value).map(([id, entry]) => [id, takeCluster(id, entry)] as const);
      const kept = clusters.filter(([, parts]) => parts.length > 0);
      good[key] = Object.fromEntries(kept.map(([id, parts]) => [id, Object.fromEntries(parts)]));
    } else {
      const taken = take(key, value);
      if (taken !== undefined) good[key] = taken;
      else if (key === 'clusters') guardsKnown = false;
    }
  }
  return { value: settings.parse(good), damage, guardsKnown };
}

/** The text to store: what differs from the defaults, and what a newer version had written. */
export function formatStoredSettings(value: Settings, further: StoredSettings['further']): string {
  const differences = diffMerge(defaultSettings, value) ?? {};
  return `${JSON.stringify({ ...further, ...differences }, undefined, 2)}\n`;
}

/** True when there is nothing worth a file. */
export function isDefault(value: Settings, further: StoredSettings['further']): boolean {
  return Object.keys(further).length === 0 && diffMerge(defaultSettings, value) === undefined;
}

/**
 * Applies a merge patch (RFC 7396): `null` goes back to the default. Parts that stay the same are the same objects.
 * Throws `settings.invalid`, and then nothing has changed.
 */
export function patchSettings(value: Settings, patch: unknown): Settings {
  if (!isObject(patch)) throw invalid('A change has to be an object.');
  if (isDeeperThan(patch, maximumDepth)) throw invalid('It is nested deeper than any setting.');
  const unknown = Object.keys(patch).find((key) => !Object.hasOwn(settings.shape, key));
  if (unknown !== undefined) throw invalid(`There is no setting "${unknown.slice(0, 64)}".`);
  const parsed = settings.safeParse(applyMerge(value, patch));
  if (!parsed.success) throw invalid(`Settings cannot hold this: ${complaintOf(parsed.error)}.`);
  const next = shareParts(value, withoutEmptyClusters(parsed.data));
  if (formatStoredSettings(next, {}).length > maximumSettingsBytes) {
    throw invalid(`They would be larger than ${maximumSettingsBytes} bytes.`);
  }
  return next;
}

/** The next value with the parts of the one before that did not change. */
export function shareParts(before: Settings, next: Settings): Settings {
  const difference = diffMerge(before, next);
  return difference === undefined ? before : (applyMerge(before, difference) as Settings);
}

function withoutEmptyClusters(value: Settings): Settings {
  const chosen = Object.entries(value.clusters).filter(([, entry]) =>
    Object.values(entry).some((part) => part !== undefined),
  );
  return { ...value, clusters: Object.fromEntries(chosen) };
}

function complaintOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it cannot be read';
  const path = issue.path.map(String).join('.').slice(0, 128);
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

function invalid(cause: string): SlipwayError {
  return new SlipwayError({
    code: 'settings.invalid',
    message: 'The settings cannot be changed like this.',
    cause,
    next: 'Correct what the cause names and save again.',
  });
}

function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((part) => isDeeperThan(part, limit - 1));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
