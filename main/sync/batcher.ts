import type { BatchItem, HelperConnection } from '../helper/connection.ts';
import type { OperationResult } from '../helper/gen/slipway/helper/v1/helper.ts';
import { OperationResult_Outcome } from '../helper/gen/slipway/helper/v1/helper.ts';
import type { PatchBases } from './blocks/patch-bases.ts';
import type { Change } from './change.ts';
import type { ApplyOptions, ApplyOutcome } from './endpoint.ts';
import { entryFromWire } from './wire-entry.ts';

/** Operations in one batch, and batches that may be unacknowledged. */
const batchOperations = 256;
const batchesInFlight = 4;

interface Sent {
  readonly change: Change;
  /** The result of this item is the result of the change. */
  readonly final: boolean;
  readonly bytes: number;
  /** Part of a file that travels as changes to the one that is there. */
  readonly patches: boolean;
}

/** Gathers operations into batches of bounded size and gives each change its one outcome. */
export class Batcher {
  readonly #connection: HelperConnection;
  readonly #options: ApplyOptions;
  readonly #bases: PatchBases;
  readonly #settled = new Set<Change>();
  readonly #flying = new Set<Promise<void>>();
  #items: BatchItem[] = [];
  #sent: Sent[] = [];
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(connection: HelperConnection, options: ApplyOptions, bases: PatchBases) {
    this.#connection = connection;
    this.#options = options;
    this.#bases = bases;
  }

  async add(item: BatchItem, change: Change, final: boolean, bytes: number): Promise<void> {
    this.throwIfFailed();
    const size = item.body?.length ?? 0;
    const full = this.#bytes > 0 && this.#bytes + size > this.#connection.sliceBytes;
    if (full || this.#items.length >= batchOperations) await this.#send();
    this.#items.push(item);
    this.#sent.push({ change, final, bytes, patches: item.operation.action?.$case === 'patch' });
    this.#bytes += size;
  }

  /** Sends what was gathered, without waiting for more. */
  flush(): Promise<void> {
    return this.#send();
  }

  /** The change has its outcome, and nothing more of it is needed. */
  isSettled(change: Change): boolean {
    return this.#settled.has(change);
  }

  settle(change: Change, outcome: ApplyOutcome): void {
    if (this.#settled.has(change)) return;
    this.#settled.add(change);
    this.#options.onOutcome(change, outcome);
  }

  async finish(): Promise<void> {
    if (this.#failure === undefined) await this.#send();
    while (this.#flying.size > 0) await Promise.all(this.#flying);
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #send(): Promise<void> {
    if (this.#items.length === 0) return;
    const [items, sent] = [this.#items, this.#sent];
    [this.#items, this.#sent, this.#bytes] = [[], [], 0];
    while (this.#flying.size >= batchesInFlight) await Promise.race(this.#flying);
    const flight = this.#connection.apply(items, this.#options.priority).then(
      (results) => this.#take(sent, results),
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#flying.add(flight);
    void flight.finally(() => this.#flying.delete(flight));
  }

  #take(sent: readonly Sent[], results: readonly OperationResult[]): void {
    sent.forEach(({ change, final, bytes, patches }, index) => {
      const result = results[index];
      if (result === undefined)
        return this.settle(change, { kind: 'refused', message: 'The helper did not answer' });
      const staged = result.outcome === OperationResult_Outcome.OUTCOME_STAGED;
      if (staged && !final) return;
      const outcome = outcomeOf(change, result, bytes);
      if (outcome.kind === 'applied') this.#bases.arrived(change.path);
      if (!patches || outcome.kind !== 'refused') return this.settle(change, outcome);
      // The parts did not make up the file, whatever the reason: it is looked at again and sent whole.
      if (!this.#settled.has(change)) this.#bases.sendWhole(change.path);
      this.settle(change, { kind: 'source-changed', reason: 'changing', message: outcome.message });
    });
  }
}

function outcomeOf(change: Change, result: OperationResult, bytes: number): ApplyOutcome {
  switch (result.outcome) {
    case OperationResult_Outcome.OUTCOME_APPLIED:
      return { kind: 'applied', now: entryFromWire(result.now), inPlace: result.inPlace, bytes };
    case OperationResult_Outcome.OUTCOME_MISMATCH:
      return { kind: 'mismatch', now: entryFromWire(result.now) };
    case OperationResult_Outcome.OUTCOME_FAILED: {
      const [, code = 'EUNKNOWN', words = ''] = /^([A-Z0-9]+):?\s*(.*)$/s.exec(result.error) ?? [];
      const folder = change.kind === 'delete' && change.expected?.kind === 'directory';
      if (folder && (code === 'ENOTEMPTY' || code === 'EEXIST')) return { kind: 'not-empty' };
      return { kind: 'failed', code, message: words === '' ? result.error : `${code}: ${words}` };
    }
    default:
      return {
        kind: 'refused',
        message: result.error === '' ? 'The helper refused the change' : result.error,
      };
  }
}
