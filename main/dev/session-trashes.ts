import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import {
  pageSize,
  restoredAtOnce,
  type ContainerTrash,
  type ContainerTrashEntry,
  type TrashEntry,
} from '../../contract/sessions.ts';
import type { OutputOf } from '../../contract/api.ts';
import { isSlipwayError, SlipwayError } from '../base/errors.ts';
import type { PairView } from '../sync/pair-view.ts';
import { batchesOf } from './trash-batches.ts';

interface Trashes {
  readonly views: readonly PairView[];
  view(pair: number): Pick<PairView, 'trashed' | 'restore'>;
}

/** The latest versions of this machine's trash first whose path holds the text. */
export async function searchTrash(
  session: Pick<Trashes, 'views'>,
  search: string,
): Promise<OutputOf<'sessions.trash'>> {
  const wanted = search.toLowerCase();
  const found = await Promise.all(
    session.views.map(async (view, pair) => {
      const versions = await view.trashed();
      const batches = batchesOf(versions);
      return versions
        .filter(({ path }) => path.toLowerCase().includes(wanted))
        .map((version) => ({ ...version, pair, together: batches.get(version.id) }));
    }),
  );
  const all = found.flat().sort((a, b) => b.trashedAt - a.trashedAt);
  const entries = all
    .slice(0, pageSize)
    .map(({ id, pair, path, size, trashedAt, reason, origin, together }): TrashEntry => ({
      id,
      pair,
      path,
      size,
      trashedAt: new Date(trashedAt).toISOString(),
      reason,
      origin,
      ...(together === undefined ? {} : { batch: together.batch, batchCount: together.count }),
    }));
  return { entries, total: all.length };
}

/** What the containers keep of old versions; the latest first. */
export async function searchContainerTrash(
  session: Pick<Trashes, 'views'>,
  search: string,
): Promise<ContainerTrash> {
  const wanted = search.toLowerCase();
  const entries: (ContainerTrashEntry & { readonly time: number })[] = [];
  let [count, bytes] = [0, 0];
  for (const [pair, view] of session.views.entries()) {
    for (const { id, path, size, trashedAt } of (await view.containerTrash()) ?? []) {
      count++;
      bytes += size;
      if (!path.toLowerCase().includes(wanted)) continue;
      entries.push({ id, pair, path, size, time: trashedAt, trashedAt: isoOf(trashedAt) });
    }
  }
  entries.sort((a, b) => b.time - a.time);
  return { count, bytes, entries: entries.slice(0, pageSize).map(({ time: _, ...entry }) => entry) };
}

/** Puts versions back one after the other, in their places or below another folder. What fails is told and left out. */
export async function restoreVersions(
  session: Pick<Trashes, 'view'>,
  request: {
    readonly versions?: readonly { readonly pair: number; readonly id: string }[] | undefined;
    readonly batch?: { readonly pair: number; readonly batch: string } | undefined;
    readonly to?: string | undefined;
  },
): Promise<OutputOf<'sessions.restoreVersions'>> {
  const { batch, to } = request;
  const folder = to === undefined ? undefined : await folderOf(to);
  const wanted = [...(request.versions ?? []), ...(batch === undefined ? [] : await idsOf(session, batch))];
  const paths = new Map<number, ReadonlyMap<string, string>>();
  const restored: string[] = [];
  const failed: { path: string; message: string }[] = [];
  for (const { pair, id } of wanted) {
    const view = session.view(pair);
    const names = paths.get(pair) ?? new Map((await view.trashed()).map((each) => [each.id, each.path]));
    paths.set(pair, names);
    try {
      restored.push(await view.restore(id, folder));
    } catch (error) {
      if (!isSlipwayError(error)) throw error;
      const message = [error.message, error.causeText].filter((text) => text !== '').join(' ');
      failed.push({ path: names.get(id) ?? id, message });
    }
  }
  return { restored, failed: failed.slice(0, restoredAtOnce) };
}

/** Brings an old version of the container here, into its place or below another folder. */
export async function bringHere(
  session: { view(pair: number): Pick<PairView, 'bringHere'> },
  { pair, id, to }: { readonly pair: number; readonly id: string; readonly to?: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  const folder = to === undefined ? undefined : await folderOf(to);
  return session.view(pair).bringHere(id, folder, signal);
}

async function idsOf(
  session: Pick<Trashes, 'view'>,
  { pair, batch }: { readonly pair: number; readonly batch: string },
): Promise<readonly { readonly pair: number; readonly id: string }[]> {
  const batches = batchesOf(await session.view(pair).trashed());
  return [...batches].flatMap(([id, found]) => (found.batch === batch ? [{ pair, id }] : []));
}

function isoOf(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString();
}

/** With its links resolved: nothing below it is reached through one. */
async function folderOf(to: string): Promise<string> {
  try {
    if (isAbsolute(to)) return await realpath(to);
  } catch (error) {
    throw noFolder(to, 'It is not there, or you may not look into it.', error);
  }
  throw noFolder(to, 'It does not begin at the root.');
}

function noFolder(to: string, cause: string, origin?: unknown): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: `${JSON.stringify(to)} is no folder to restore to.`,
    cause,
    next: 'Choose a folder of this machine.',
    origin,
  });
}
