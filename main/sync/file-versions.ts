import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { shownVersionBytes, type FileVersion } from '../../contract/sessions.ts';
import { isCancellation, messageOf } from '../base/errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Entry } from './entry.ts';
import { RootHandle } from './local-endpoint/beneath-root.ts';
import { entryAt } from './local-endpoint/disk-entry.ts';
import { isSystemError, wordsOf } from './local-endpoint/scan-disk.ts';
import type { TrashedVersion } from './trash.ts';

/** Larger files are not read only to show their digest. */
const digestedBytes = 256 * 1024 * 1024;
const chunkBytes = 256 * 1024;

/** What is at a path of the laptop's folder, read without following a link. Never rejects for what the disk says. */
export async function laptopVersion(root: string, path: string, signal?: AbortSignal): Promise<FileVersion> {
  const where = 'laptop';
  try {
    using handle = new RootHandle(root);
    return await handle.within(path, async (folder, name) => {
      const place = folder.at(name);
      const entry = entryAt(place);
      const about = describeEntry(where, entry);
      if (entry?.kind !== 'file') return about;
      return { ...about, ...(await readStart(place, entry.size, signal)) };
    });
  } catch (error) {
    return problemOf(where, error);
  }
}

/** A version in the trash; `place` is where its content lies. */
export async function trashVersion(
  place: string,
  version: TrashedVersion,
  signal?: AbortSignal,
): Promise<FileVersion> {
  const where = 'trash';
  try {
    const content = await readStart(place, version.size, signal);
    const time = new Date(version.trashedAt).toISOString();
    return { where, kind: 'file', size: version.size, time, ...content };
  } catch (error) {
    return problemOf(where, error);
  }
}

/** What the container has at a path now. Of its content no more is fetched than is shown. */
export async function containerVersion(
  endpoint: Pick<Endpoint, 'inspect' | 'read'> | undefined,
  path: string,
  signal?: AbortSignal,
): Promise<FileVersion> {
  const where = 'container';
  if (endpoint === undefined)
    return { where, kind: 'file', problem: 'There is no connection to the container now.' };
  const enough = new AbortController();
  const ending = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
  try {
    const { entries, problems } = await endpoint.inspect([path], { digest: true, signal });
    const [problem] = problems;
    if (problem !== undefined) return { where, kind: 'file', problem: problem.message };
    const entry = entries.get(path);
    const about = describeEntry(where, entry);
    if (entry?.kind !== 'file') return about;
    const start = new Start(entry.size);
    for await (const part of endpoint.read([path], { priority: 'interactive', signal: ending })) {
      if (part.kind === 'data') start.add(part.data);
      if (part.kind === 'end' && part.error !== undefined) return { ...about, problem: part.error.message };
      if (start.isFull) break;
    }
    return { ...about, ...start.shown() };
  } catch (error) {
    signal?.throwIfAborted();
    return problemOf(where, error);
  } finally {
    enough.abort(new DOMException('Enough was read', 'AbortError'));
  }
}

/** The beginning of a content, and whether it is text. */
class Start {
  readonly #size: number;
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get isFull(): boolean {
    return this.#bytes >= shownVersionBytes;
  }

  add(data: Uint8Array): void {
    if (this.isFull) return;
    const taken = data.subarray(0, shownVersionBytes - this.#bytes);
    // A copy: the reader's buffer is used again.
    this.#parts.push(Uint8Array.from(taken));
    this.#bytes += taken.length;
  }

  shown(): Pick<FileVersion, 'text' | 'binary' | 'cut'> {
    const text = textOf(Buffer.concat(this.#parts));
    if (text === undefined) return { binary: true };
    return this.#size > this.#bytes ? { text, cut: true } : { text };
  }
}

/** Undefined for what is not UTF-8 or holds a NUL, as git tells text from the rest. A letter may be cut at the end. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

async function readStart(
  place: string,
  size: number,
  signal: AbortSignal | undefined,
): Promise<Pick<FileVersion, 'text' | 'binary' | 'cut' | 'digest'>> {
  // What lies there may be exchanged any moment: a link is not followed, and a pipe keeps nobody waiting.
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const start = new Start(size);
    const hash = size <= digestedBytes ? createHash('sha256') : undefined;
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (let read = 0; read <= size && (hash !== undefined || !start.isFull);) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, read);
      if (bytesRead === 0) break;
      const data = buffer.subarray(0, bytesRead);
      start.add(data);
      hash?.update(data);
      read += bytesRead;
    }
    return { ...start.shown(), ...(hash === undefined ? {} : { digest: hash.digest('hex') }) };
  } finally {
    await file.close();
  }
}

function describeEntry(where: FileVersion['where'], entry: Entry | undefined): FileVersion {
  if (entry === undefined) return { where, kind: 'missing' };
  if (entry.kind === 'symlink') return { where, kind: 'symlink', target: entry.target };
  if (entry.kind !== 'file') return { where, kind: entry.kind };
  const { size, mtimeNs, digest } = entry;
  return {
    where,
    kind: 'file',
    size,
    time: isoOf(Number(mtimeNs / 1_000_000n)),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Times of files are whatever somebody set them to. */
function isoOf(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString();
}

function problemOf(where: FileVersion['where'], error: unknown): FileVersion {
  if (isCancellation(error)) throw error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return { where, kind: 'missing' };
  const problem = isSystemError(error) ? wordsOf(error) : messageOf(error);
  return { where, kind: 'file', problem: problem ?? 'It could not be read.' };
}
