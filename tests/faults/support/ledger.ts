import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from './content.ts';

export type SideName = 'here' | 'there';

/** A root and a folder beside it on the same file system, from which files are moved into place. */
export interface LedgerSide {
  readonly root: () => string;
  readonly beside: () => string;
}

interface Written {
  readonly path: string;
  readonly side: SideName;
  readonly at: number;
}

/**
 * Everything that a test ever wrote on either side (G1). Each content must be found again, at a path or in a trash,
 * unless the test itself replaced or removed it where it lay.
 */
export class Ledger {
  readonly #sides: Readonly<Record<SideName, LedgerSide>>;
  readonly #written = new Map<string, Written>();
  readonly #given = new Set<string>();
  #count = 0;

  constructor(sides: Readonly<Record<SideName, LedgerSide>>) {
    this.#sides = sides;
  }

  get size(): number {
    return this.#written.size;
  }

  /** Writes as editors do that are careful: the whole content at once, by a rename. */
  write(side: SideName, path: string, content: Buffer): void {
    const { root, beside } = this.#sides[side];
    const target = join(root(), path);
    const temporary = join(beside(), `new-${++this.#count}`);
    mkdirSync(beside(), { recursive: true });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(temporary, content);
    this.#written.set(sha256(content), { path, side, at: Date.now() });
    this.#give(target);
    renameSync(temporary, target);
  }

  remove(side: SideName, path: string): void {
    const target = join(this.#sides[side].root(), path);
    this.#give(target);
    rmSync(target, { force: true });
  }

  /** A content that went for a reason which the test knows of, as with the container it was in. */
  forgive(hash: string): void {
    this.#given.add(hash);
  }

  /** Where a test goes on to write without the ledger. */
  forgiveAll(): void {
    for (const hash of this.#written.keys()) this.#given.add(hash);
  }

  /** Contents that the test did not give up, by hash. */
  get owed(): ReadonlyMap<string, Written> {
    return new Map([...this.#written].filter(([hash]) => !this.#given.has(hash)));
  }

  #give(target: string): void {
    if (existsSync(target) && lstatSync(target).isFile()) this.#given.add(sha256(readFileSync(target)));
  }
}
