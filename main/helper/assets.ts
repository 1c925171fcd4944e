import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SlipwayError } from '../base/errors.ts';


export interface HelperBinary {
  readonly content: Buffer;
  /** The same as gzip. */
  readonly compressed: Buffer;
  /** In hex. */
  readonly sha256: string;
}

/** The helper's binaries that ship with the app. */
export interface HelperAssets {
  /** Undefined for a CPU that the helper is not built for. Rejects with `helper.missing` or `helper.corrupted`. */
  load(architecture: string): Promise<HelperBinary | undefined>;
}

const manifestSchema = z.object({
  build: z.string(),
  files: z.record(z.string(), z.object({ file: z.string(), sha256: z.string(), size: z.number() })),
});

/** Reads what `npm run helper` built; each binary is checked against the manifest's hash. */
export function folderAssets(folder: string): HelperAssets {
  const loaded = new Map<string, Promise<HelperBinary | undefined>>();
  const read = async (architecture: string): Promise<HelperBinary | undefined> => {
    const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch((error: unknown) => {
      throw missing(error);
    });
    const entry = manifestSchema.parse(JSON.parse(text)).files[architecture];
    if (entry === undefined) return undefined;
    const [content, compressed] = await Promise.all(
      [entry.file, `${entry.file}.gz`].map((file) => readFile(join(folder, file))),
    ).catch((error: unknown) => {
      throw missing(error);
    });
    if (content === undefined || compressed === undefined) return undefined;
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (sha256 !== entry.sha256) throw corrupted(entry.file);
    return { content, compressed, sha256 };
  };
  return {
    load(architecture) {
      const known = loaded.get(architecture) ?? read(architecture);
      loaded.set(architecture, known);
      known.catch(() => loaded.delete(architecture));
      return known;
    },
  };
}

function missing(origin: unknown): SlipwayError {
  return new SlipwayError({
    code: 'helper.missing',
    message: 'The helper for containers is not part of this installation.',
    next: 'Run `npm run helper`, or install Slipway again.',
    origin,
  });
}

function corrupted(file: string): SlipwayError {
  return new SlipwayError({
    code: 'helper.corrupted',
    message: `The helper ${file} of this installation is damaged.`,
    cause: 'Its hash is not the one that was recorded when it was built.',
    next: 'Run `npm run helper`, or install Slipway again.',
  });
}
