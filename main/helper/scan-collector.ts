import { checkChange, checkPath, checkProblem, checkRoot, ProtocolError } from './check-message.ts';
import type { RemoteScan } from './connection.ts';
import type { Entry, Problem, SendScanRequest } from './gen/slipway/helper/v1/helper.ts';

/** Entries of one scan; a larger tree is not what anybody syncs. */
const entriesLimit = 2_000_000;
const problemsLimit = 100_000;
/** Characters of all their names: entries alone would allow gigabytes of them. */
const namesLimit = 256 * 1024 * 1024;

/** Puts the parts of a scan together, checking each; only a scan with its end and its count is one. */
export class ScanCollector {
  readonly #entries = new Map<string, Entry>();
  readonly #problems: Problem[] = [];
  readonly #below: readonly string[];
  readonly #limit: number;
  #count = 0;
  #names = 0;
  #scan: RemoteScan | undefined;

  constructor(below: readonly string[], limit = namesLimit) {
    this.#below = below.map(checkPath);
    this.#limit = limit;
  }

  add(part: SendScanRequest): void {
    if (this.#scan !== undefined) throw new ProtocolError('A scan went on after its end');
    this.#count += part.entries.length;
    if (this.#count > entriesLimit) throw new ProtocolError(`A scan has more than ${entriesLimit} entries`);
    if (this.#problems.length + part.problems.length > problemsLimit) throw new ProtocolError('A scan has too many problems');
    for (const change of part.entries) {
      const { path, entry } = checkChange(change, 'present');
      if (!this.#wanted(path)) throw new ProtocolError(`A scan has ${JSON.stringify(path)}, which was not asked for`);
      this.#names += path.length + entry.target.length;
      this.#entries.set(path, entry);
    }
    for (const problem of part.problems) {
      this.#names += problem.path.length + problem.message.length;
      this.#problems.push(checkProblem(problem));
    }
    if (this.#names > this.#limit) throw new ProtocolError(`A scan has names of more than ${this.#limit} bytes`);
    if (part.end === undefined) return;
    if (part.end.entries !== BigInt(this.#count)) throw new ProtocolError('A scan has another count than it says');
    this.#scan = {
      entries: this.#entries,
      problems: this.#problems,
      root: checkRoot(part.end.root),
      moved: part.end.moved,
    };
  }

  /** The scan, or undefined when it broke off. */
  finish(): RemoteScan | undefined {
    return this.#scan;
  }

  #wanted(path: string): boolean {
    return this.#below.length === 0 || this.#below.some((folder) => path === folder || path.startsWith(`${folder}/`));
  }
}
