import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from './run.ts';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

export interface PushOptions {
  /** One image as an archive in OCI layout, such as those of images.ts. */
  readonly archive: string;
  /** HOST:PORT of a registry that speaks plain HTTP. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
}

/** Pushes by the registry's own HTTP interface, as no image tool can be taken for granted. */
export async function pushImage(options: PushOptions): Promise<void> {
  const layout = await mkdtemp(path.join(tmpdir(), 'slipway-push-'));
  try {
    await run(['tar', '-xf', options.archive, '-C', layout]);
    const base = `http://${options.registry}/v2/${options.repository}`;
    const index = await readJson<{ readonly manifests: readonly Descriptor[] }>(
      path.join(layout, 'index.json'),
    );
    for (const described of index.manifests) {
      const manifest = await readJson<Manifest>(blobPath(layout, described.digest));
      for (const blob of [manifest.config, ...manifest.layers]) {
        await pushBlob(base, blob.digest, await readFile(blobPath(layout, blob.digest)));
      }
      const body = await readFile(blobPath(layout, described.digest));
      await expectOk(`${base}/manifests/${options.tag}`, 'PUT', body, described.mediaType);
    }
  } finally {
    await rm(layout, { recursive: true, force: true });
  }
}

async function pushBlob(base: string, digest: string, body: Buffer): Promise<void> {
  const existing = await fetch(`${base}/blobs/${digest}`, { method: 'HEAD' });
  if (existing.ok) return;
  const begun = await expectOk(`${base}/blobs/uploads/`, 'POST');
  const place = new URL(begun.headers.get('location') ?? '', base);
  place.searchParams.set('digest', digest);
  await expectOk(place.href, 'PUT', body, 'application/octet-stream');
}

async function expectOk(url: string, method: string, body?: Buffer, mediaType?: string): Promise<Response> {
  const response = await fetch(url, {
    method,
    ...(body ? { body: new Uint8Array(body) } : {}),
    headers: mediaType ? { 'content-type': mediaType } : {},
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return response;
}

function blobPath(layout: string, digest: string): string {
  return path.join(layout, 'blobs', ...digest.split(':'));
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, 'utf8')) as T;
}
