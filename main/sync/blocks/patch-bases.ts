import type { Change, FileEntry } from '../change.ts';
import type { BlockSignature } from './block-signature.ts';
import { isSignature, wholeFileBytes } from './block-signature.ts';

/** A base smaller than this spares too little. */
const baseAtLeast = 1024 * 1024;
/** Paths that are remembered for being sent whole. */
const rememberedLimit = 1000;

/** What a reader needs to tell a file as changes. */
export interface PatchBase {
  /** Of what the other side has. */
  readonly signature: BlockSignature;
  /** The file to be read, as it was when it was decided to send it: while it is that file, its digest need not be computed again. */
  readonly source: FileEntry;
}

type Bases = ReadonlyMap<string, () => Promise<PatchBase | undefined>>;

/** Which puts of one endpoint may travel as changes to what is there, and which were tried so in vain. */
export class PatchBases {
  readonly #whole = new Set<string>();

  /** The next put of this path travels whole: what its parts came to was not the file. */
  sendWhole(path: string): void {
    if (this.#whole.size >= rememberedLimit) this.#whole.clear();
    this.#whole.add(path);
  }

  /** It has arrived whole: later changes may be tried by parts again. */
  arrived(path: string): void {
    this.#whole.delete(path);
  }

  /**
   * What a reader may take as bases. `sign` describes what is at a path; it counts only while it is the file that the
   * put expects there.
   */
  of(
    changes: readonly Change[],
    sign: (path: string) => Promise<BlockSignature | undefined>,
  ): Bases | undefined {
    const bases = new Map<string, () => Promise<PatchBase | undefined>>();
    for (const change of changes) {
      const { path, expected } = change;
      if (change.kind !== 'put') continue;
      const { source } = change;
      if (expected?.kind !== 'file' || this.#whole.has(path)) continue;
      if (source.size <= wholeFileBytes || expected.size < baseAtLeast) continue;
      bases.set(path, async () => {
        const signature = await sign(path);
        const usable = signature !== undefined && isSignature(signature) && isBase(signature.entry, expected);
        return usable ? { signature, source } : undefined;
      });
    }
    return bases.size === 0 ? undefined : bases;
  }
}

/** Whether a file is the one that was expected, by all that is known of that one. */
export function isBase(found: FileEntry, expected: FileEntry): boolean {
  return (
    found.size === expected.size &&
    found.mtimeNs === expected.mtimeNs &&
    (expected.ctimeNs === 0n || found.ctimeNs === expected.ctimeNs) &&
    (expected.inode === 0n || found.inode === expected.inode)
  );
}
