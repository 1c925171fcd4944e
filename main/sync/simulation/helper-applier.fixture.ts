import type { BatchItem } from '../../helper/connection.ts';
import type {
  Entry as WireEntry,
  Operation,
  OperationResult,
  Put,
} from '../../helper/gen/slipway/helper/v1/helper.ts';
import { EntryKind, OperationResult_Outcome } from '../../helper/gen/slipway/helper/v1/helper.ts';
import { isCoarse, isRacy } from '../racy.ts';
import { parentOf } from '../tree.ts';
import { entryToWire } from '../wire-entry.ts';
import { digestOf } from './content-digest.fixture.ts';
import type { SimulatedContainer } from './simulated-container.fixture.ts';

/** Carries out operations as the helper does: each only when its target is what was expected. */
export class HelperApplier {
  readonly epoch: number;
  readonly #container: SimulatedContainer;
  readonly #staged = new Map<string, { readonly path: string; text: string }>();

  constructor(container: SimulatedContainer, epoch: number) {
    this.#container = container;
    this.epoch = epoch;
  }

  one({ operation, body }: BatchItem): OperationResult {
    this.#container.checkInCharge(this.epoch);
    const { disk } = this.#container;
    const { path, expected, action } = operation;
    if (expected === undefined) return refused('nothing said about what is expected');
    const parent = parentOf(path);
    if (parent !== '' && disk.tree.get(parent)?.kind !== 'directory')
      return expected.kind === EntryKind.ENTRY_KIND_UNSPECIFIED
        ? failed('ENOENT: no folder')
        : mismatch(entryToWire(undefined));
    if (disk.isDenied(path)) return failed('EACCES: permission denied');
    if (action?.$case === 'put') {
      const received = this.#receive(path, action.value, body ?? new Uint8Array());
      if (typeof received !== 'string') return received;
      if (!this.#isExpected(path, expected)) return mismatch(this.#look(path));
      return disk.asSync(() => this.#put(path, action.value, received));
    }
    if (!this.#isExpected(path, expected)) return mismatch(this.#look(path));
    return disk.asSync(() => this.#do(path, action));
  }

  #receive(path: string, put: Put, body: Uint8Array): string | OperationResult {
    const staged = this.#staged.get(put.staging) ?? { path, text: '' };
    if (staged.path !== path || BigInt(staged.text.length) !== put.offset) {
      this.#staged.delete(put.staging);
      return refused('slices that do not follow each other');
    }
    if (this.#container.disk.full) {
      this.#staged.delete(put.staging);
      return failed('ENOSPC: no space left on device');
    }
    staged.text += Buffer.from(body).toString();
    this.#staged.set(put.staging, staged);
    if (!put.final) return { ...blank, outcome: OperationResult_Outcome.OUTCOME_STAGED };
    this.#staged.delete(put.staging);
    const whole = BigInt(staged.text.length) === put.size;
    if (!whole || digestOf(staged.text) !== Buffer.from(put.digest).toString('hex'))
      return refused('another digest arrived');
    return staged.text;
  }

  #put(path: string, put: Put, content: string): OperationResult {
    const { disk } = this.#container;
    const kind = disk.tree.get(path)?.kind;
    if (kind === 'directory' || kind === 'other') return refused('a folder is not replaced by a file');
    this.#keep(path);
    disk.write(path, content, { mode: put.mode, mtimeNs: put.mtimeNs });
    return applied({ ...this.#look(path), digest: Buffer.from(put.digest) });
  }

  #do(path: string, action: Exclude<Operation['action'], { $case: 'put' }>): OperationResult {
    const { disk } = this.#container;
    switch (action?.$case) {
      case 'makeDirectory':
        if (disk.tree.get(path)?.kind !== 'directory') disk.makeFolder(path, action.value.mode);
        return applied(this.#look(path));
      case 'makeSymlink':
        if (disk.tree.get(path)?.kind === 'directory') return refused('a folder is not replaced by a link');
        this.#keep(path);
        disk.link(path, action.value.target);
        return applied(this.#look(path));
      case 'chmod':
        disk.changeMode(path, action.value.mode);
        return applied(this.#look(path));
      case 'delete':
        if (disk.tree.hasChildren(path)) return failed('ENOTEMPTY: directory not empty');
        this.#keep(path);
        disk.remove(path);
        return applied(entryToWire(undefined));
      case 'rename': {
        const { to } = action.value;
        const parent = parentOf(to);
        if (disk.tree.get(path) === undefined) return refused('nothing there that can be renamed');
        if (parent !== '' && disk.tree.get(parent)?.kind !== 'directory') return failed('ENOENT: no folder');
        if (disk.isDenied(to)) return failed('EACCES: permission denied');
        if (disk.tree.get(to) !== undefined) return refused('something is at the new name');
        disk.move(path, to);
        return applied(this.#look(to));
      }
      default:
        return refused('unknown action');
    }
  }

  #keep(path: string): void {
    const old = this.#container.disk.contents.get(path);
    if (old === undefined) return;
    this.#container.kept.keep(path, old);
    this.#container.kept.prune();
  }

  #look(path: string): WireEntry {
    return entryToWire(this.#container.disk.tree.get(path));
  }

  #isExpected(path: string, expected: WireEntry): boolean {
    const now = this.#look(path);
    if (now.kind !== expected.kind) return false;
    if (now.kind === EntryKind.ENTRY_KIND_SYMLINK) return now.target === expected.target;
    if (now.kind !== EntryKind.ENTRY_KIND_FILE) return true;
    if (now.size !== expected.size) return false;
    const sameTimes =
      now.mtimeNs === expected.mtimeNs &&
      (expected.ctimeNs === 0n || now.ctimeNs === expected.ctimeNs) &&
      (expected.inode === 0n || now.inode === expected.inode);
    const entry = this.#container.disk.tree.get(path);
    const hidden = entry?.kind === 'file' && isCoarse(entry) && isRacy(entry, this.#container.disk.now());
    if (sameTimes && (!hidden || expected.digest.length === 0)) return true;
    const content = this.#container.disk.contents.get(path) ?? '';
    return expected.digest.length > 0 && digestOf(content) === Buffer.from(expected.digest).toString('hex');
  }
}

const blank: OperationResult = {
  outcome: OperationResult_Outcome.OUTCOME_UNSPECIFIED,
  now: undefined,
  error: '',
  inPlace: false,
  trashed: false,
};

function applied(now: WireEntry): OperationResult {
  return { ...blank, outcome: OperationResult_Outcome.OUTCOME_APPLIED, now };
}

function mismatch(now: WireEntry): OperationResult {
  return { ...blank, outcome: OperationResult_Outcome.OUTCOME_MISMATCH, now };
}

function failed(error: string): OperationResult {
  return { ...blank, outcome: OperationResult_Outcome.OUTCOME_FAILED, error };
}

function refused(error: string): OperationResult {
  return { ...blank, outcome: OperationResult_Outcome.OUTCOME_REFUSED, error };
}
