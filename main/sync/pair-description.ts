import { join } from 'node:path';
import { z } from 'zod';
import type { AncestorFiles } from './ancestor-files.ts';
import type { PairIdentity } from './pair.ts';

/** What a pair was, for whoever finds its folder without a cluster at hand. */
export interface PairDescription extends PairIdentity {
  /** Set for a pair of two single files: its name in the folder of `localPath`. */
  readonly singleName?: string | undefined;
}

const fileName = 'pair.json';
const description = z.object({
  cluster: z.string(),
  namespace: z.string(),
  target: z.string(),
  container: z.string(),
  remotePath: z.string(),
  localPath: z.string(),
  singleName: z.string().optional(),
});

/** Says in a pair's own folder what it is. */
export async function describePair(
  files: Pick<AncestorFiles, 'write'>,
  folder: string,
  pair: PairDescription,
): Promise<void> {
  await files.write(join(folder, fileName), Buffer.from(`${JSON.stringify(description.parse(pair))}\n`));
}

/** Undefined for a pair that was never described, or cannot be read. */
export async function readPairDescription(
  files: Pick<AncestorFiles, 'read'>,
  folder: string,
): Promise<PairDescription | undefined> {
  try {
    const content = await files.read(join(folder, fileName));
    return content === undefined ? undefined : description.parse(JSON.parse(content.toString()));
  } catch {
    return undefined;
  }
}
