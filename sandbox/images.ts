import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ImageRecipe, LayerRecipe } from './image-recipes.ts';
import { goArchitecture } from './requirements.ts';
import { run } from './run.ts';

/** Raise it when the way of making images changes, so that cached ones are made anew. */
export const imageFormat = 1;

/** One finished image: an archive in OCI layout, named by the hash of what went into it. */
export interface BuiltImage {
  readonly reference: string;
  readonly key: string;
  readonly archive: string;
}

/** The image's archive from the cache, made first when it is not there. */
export async function buildImage(recipe: ImageRecipe, cacheFolder: string): Promise<BuiltImage> {
  const key = await recipeKey(recipe);
  const archive = path.join(cacheFolder, `${key}.tar`);
  if (!existsSync(archive)) await makeArchive(recipe, archive);
  return { reference: recipe.reference, key, archive };
}

/** Depends on the contents of the files copied, not on where they lie. */
async function recipeKey(recipe: ImageRecipe): Promise<string> {
  const files = recipe.layers.flatMap((layer) => layer.entries).filter((entry) => entry.kind === 'copy');
  const hashes = await Promise.all(files.map((entry) => hashFile(entry.from)));
  const withoutPlaces = JSON.stringify(recipe, (name, value: unknown) =>
    name === 'from' ? undefined : value,
  );
  const text = JSON.stringify([imageFormat, withoutPlaces, hashes]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}

async function makeArchive(recipe: ImageRecipe, archive: string): Promise<void> {
  await mkdir(path.dirname(archive), { recursive: true });
  const work = await mkdtemp(path.join(path.dirname(archive), 'making-'));
  try {
    const layout = path.join(work, 'layout');
    await mkdir(path.join(layout, 'blobs', 'sha256'), { recursive: true });
    const layers = [];
    for (const [index, layer] of recipe.layers.entries()) {
      layers.push(await addLayer(layer, path.join(work, `layer-${index}`), layout));
    }
    const config = await addBlob(
      layout,
      imageConfig(
        recipe,
        layers.map((layer) => layer.digest),
      ),
    );
    const manifest = await addBlob(layout, {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: layers.map((layer) => ({ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer })),
    });
    await writeFile(path.join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
    await writeFile(path.join(layout, 'index.json'), JSON.stringify(imageIndex(recipe, manifest)));
    await run(['tar', '-cf', path.join(work, 'image.tar'), ...reproducible, '-C', layout, '.']);
    await rename(path.join(work, 'image.tar'), archive);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const reproducible = [
  '--sort=name',
  '--mtime=@0',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--format=gnu',
];

interface Blob {
  readonly digest: string;
  readonly size: number;
}

function imageConfig(recipe: ImageRecipe, diffIds: readonly string[]): object {
  return {
    created: '1970-01-01T00:00:00Z',
    architecture: goArchitecture(),
    os: 'linux',
    config: recipe.config,
    rootfs: { type: 'layers', diff_ids: diffIds },
  };
}

function imageIndex(recipe: ImageRecipe, manifest: Blob): object {
  return {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        ...manifest,
        platform: { os: 'linux', architecture: goArchitecture() },
        annotations: {
          'io.containerd.image.name': recipe.reference,
          'org.opencontainers.image.ref.name': recipe.reference.slice(recipe.reference.lastIndexOf(':') + 1),
        },
      },
    ],
  };
}

/** Stages the layer's files in a folder and packs it as an uncompressed tar. */
async function addLayer(layer: LayerRecipe, stage: string, layout: string): Promise<Blob> {
  await mkdir(stage);
  for (const entry of layer.entries) {
    const place = path.join(stage, entry.path);
    await mkdir(path.dirname(place), { recursive: true });
    if (entry.kind === 'folder') {
      await mkdir(place, { recursive: true });
      await chmod(place, entry.mode);
    } else if (entry.kind === 'link') {
      await symlink(entry.to, place);
    } else {
      if (entry.kind === 'text') await writeFile(place, entry.text);
      else await copyFile(entry.from, place);
      await chmod(place, entry.mode ?? 0o644);
    }
  }
  await chmod(stage, 0o755);
  const packed = `${stage}.tar`;
  await run(['tar', '-cf', packed, ...reproducible, '-C', stage, '.']);
  const digest = await hashFile(packed);
  const size = (await stat(packed)).size;
  await rename(packed, path.join(layout, 'blobs', 'sha256', digest));
  return { digest: `sha256:${digest}`, size };
}

async function addBlob(layout: string, value: object): Promise<Blob> {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = createHash('sha256').update(bytes).digest('hex');
  await writeFile(path.join(layout, 'blobs', 'sha256', digest), bytes);
  return { digest: `sha256:${digest}`, size: bytes.length };
}
