import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, type Programs } from './binary.ts';
import { tendCache } from './cache.ts';
import { describeImages, type RecipeInputs } from './image-recipes.ts';
import { buildImage, type BuiltImage } from './images.ts';
import type { Instance } from './instance.ts';
import { run } from './run.ts';

/** All images as archives in the cache. They need no cluster, so this runs beside its start. */
export async function buildImages(programs: Programs): Promise<readonly BuiltImage[]> {
  const recipes = describeImages(await recipeInputs(programs));
  const folder = path.join(cacheFolder(), 'images');
  const images = await Promise.all(recipes.map((recipe) => buildImage(recipe, folder)));
  tendCache(
    folder,
    images.map((image) => image.archive),
    new Date(),
  );
  return images;
}

/** Imports the images that containerd does not have, or has in another version. */
export async function importImages(instance: Instance, images: readonly BuiltImage[]): Promise<void> {
  const ctr = ['ctr', '--address', instance.containerdSocket, '--namespace', 'k8s.io', 'images'];
  const present = new Set((await run([...ctr, 'list', '--quiet'])).split('\n'));
  const record = path.join(instance.stateFolder, 'images.json');
  const imported = existsSync(record)
    ? (JSON.parse(readFileSync(record, 'utf8')) as Record<string, string>)
    : {};
  const wanted = images.filter(
    (image) => !present.has(image.reference) || imported[image.reference] !== image.key,
  );
  if (wanted.length === 0) return;
  await Promise.all(wanted.map((image) => run([...ctr, 'import', image.archive])));
  writeFileSync(
    record,
    JSON.stringify(Object.fromEntries(images.map((image) => [image.reference, image.key]))),
  );
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
