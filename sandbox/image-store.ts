import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, type Programs } from './binary.ts';
import { tendCache } from './cache.ts';
import { describeImages, type ImageRecipe, type RecipeInputs } from './image-recipes.ts';
import { buildImage, imageFormat, type BuiltImage } from './images.ts';
import type { Instance } from './instance.ts';
import { run } from './run.ts';

/** What containerd was given last: the archives' keys, and what the recipes' files looked like. */
interface ImageRecord {
  readonly identity: string;
  readonly keys: Readonly<Record<string, string>>;
}

/**
 * Makes the images, beside the start of the cluster, and imports those that containerd does not
 * have or has in another version. When nothing changed, no archive is made or even hashed.
 */
export async function ensureImages(
  instance: Instance,
  programs: Programs,
  containerdReady: Promise<void>,
): Promise<void> {
  const recipes = describeImages(await recipeInputs(programs));
  const identity = recipesIdentity(recipes);
  const record = readImageRecord(instance);
  const early = record?.identity === identity ? undefined : buildImages(recipes);
  early?.catch(() => {}); // awaited below; until then a failure is not unhandled
  await containerdReady;
  const ctr = ['ctr', '--address', instance.containerdSocket, '--namespace', 'k8s.io', 'images'];
  const present = new Set((await run([...ctr, 'list', '--quiet'])).split('\n'));
  if (!early && recipes.every((recipe) => present.has(recipe.reference))) return;
  const images = await (early ?? buildImages(recipes));
  const wanted = images.filter(
    (image) => !present.has(image.reference) || record?.keys[image.reference] !== image.key,
  );
  await Promise.all(wanted.map((image) => run([...ctr, 'import', image.archive])));
  const keys = Object.fromEntries(images.map((image) => [image.reference, image.key]));
  writeFileSync(recordPath(instance), JSON.stringify({ identity, keys } satisfies ImageRecord));
}

export function readImageRecord(instance: Instance): ImageRecord | undefined {
  const file = recordPath(instance);
  if (!existsSync(file)) return undefined;
  const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<ImageRecord>;
  return record.identity && record.keys ? { identity: record.identity, keys: record.keys } : undefined;
}

/** The archive of an image under its key in the cache. */
export function archivePath(key: string): string {
  return path.join(cacheFolder(), 'images', `${key}.tar`);
}

function recordPath(instance: Instance): string {
  return path.join(instance.stateFolder, 'images.json');
}

/** Changes when a recipe or one of its files does; told by size and time, so it costs nothing. */
function recipesIdentity(recipes: readonly ImageRecipe[]): string {
  const files = recipes
    .flatMap((recipe) => recipe.layers.flatMap((layer) => layer.entries))
    .filter((entry) => entry.kind === 'copy')
    .map((entry) => {
      const { size, mtimeMs, ino } = statSync(entry.from);
      return [entry.from, size, mtimeMs, ino];
    });
  return createHash('sha256')
    .update(JSON.stringify([imageFormat, recipes, files]))
    .digest('hex');
}

async function buildImages(recipes: readonly ImageRecipe[]): Promise<readonly BuiltImage[]> {
  const folder = path.dirname(archivePath('any'));
  const images = await Promise.all(recipes.map((recipe) => buildImage(recipe, folder)));
  const archives = images.map((image) => image.archive);
  tendCache(folder, archives, new Date());
  return images;
}

async function recipeInputs(programs: Programs): Promise<RecipeInputs> {
  const [applets, libraries] = await Promise.all([
    run(['/bin/busybox', '--list']),
    run(['ldd', process.execPath]),
  ]);
  return {
    busybox: '/bin/busybox',
    applets: applets.split('\n').filter(Boolean),
    node: process.execPath,
    nodeLibraries: sharedLibraries(libraries),
    staticServer: programs.staticServer,
    pause: programs.pause,
  };
}

/** Absolute paths in the output of ldd: `name => /path (address)` and the loader's `/path (address)`. */
export function sharedLibraries(lddOutput: string): readonly string[] {
  return lddOutput
    .split('\n')
    .map((line) => /(?:=>\s*|^\s*)(\/\S+) \(0x/.exec(line)?.[1])
    .filter((library) => library !== undefined);
}
