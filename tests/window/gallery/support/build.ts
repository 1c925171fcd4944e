import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const source = join(repository, 'tests/window/gallery');
const output = join(repository, 'dist/gallery');

/**
 * The script that stands before the window's own ones in the gallery, as one file in dist/gallery, which is never
 * shipped. Built only when it is not there yet; its name changes with its sources.
 */
export async function buildGallery(): Promise<string> {
  const name = `gallery-${(await hashSources()).slice(0, 16)}.js`;
  const path = join(output, name);
  const known = await readFile(path, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  const { build } = await import('vite');
  const folder = join(output, `.${randomUUID()}`);
  try {
    await build({
      configFile: false,
      root: repository,
      logLevel: 'warn',
      mode: 'production',
      build: {
        outDir: folder,
        minify: false,
        target: 'chrome140',
        lib: { entry: join(source, 'gallery.ts'), formats: ['iife'], name: 'gallery', fileName: () => name },
      },
    });
    await mkdir(output, { recursive: true });
    for (const old of await readdir(output)) if (/^gallery-.*\.js$/.test(old)) await rm(join(output, old));
    await rename(join(folder, name), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return await readFile(path, 'utf8');
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) hash.update(path).update(await readFile(path));
  return hash.digest('hex');
}

/** The page of the window with the gallery's script before its own. */
export async function galleryPage(): Promise<string> {
  const page = await readFile(join(repository, 'dist/renderer/index.html'), 'utf8');
  const own = '<script src="/appearance.js">';
  if (!page.includes(own)) throw new Error('The page of the window has no script for its appearance');
  return page.replace(own, `<script src="/gallery.js"></script>\n    ${own}`);
}

/** Where the window's own files are. */
export const rendererFolder = join(repository, 'dist/renderer');
