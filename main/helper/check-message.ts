import { EntryKind, type Change, type Entry, type Problem, type RootIdentity, type Signature } from './gen/slipway/helper/v1/helper.ts';

/** What the helper said is not acceptable; the connection ends with `helper.protocol`. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Bytes of a path, as the kernel's own limit. */
const pathLimit = 4096;
const nameLimit = 255;
const textLimit = 64 * 1024;
const safeSize = BigInt(Number.MAX_SAFE_INTEGER);

/** A relative path of plain names: '/' between parts, none empty, '.' or '..', no NUL. */
export function isSafePath(path: string): boolean {
  if (path === '' || path.includes('\0') || Buffer.byteLength(path) > pathLimit) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= nameLimit);
}

export function checkPath(path: string): string {
  if (!isSafePath(path)) throw new ProtocolError(`The path ${JSON.stringify(path.slice(0, 200))} is not acceptable`);
  return path;
}

/** `absent` allows kind UNSPECIFIED: nothing there. */
export function checkEntry(entry: Entry | undefined, absent: 'absent' | 'present'): Entry {
  if (entry === undefined) throw new ProtocolError('An entry is missing');
  const { kind, digest } = entry;
  const known = kind === EntryKind.ENTRY_KIND_UNSPECIFIED ? absent === 'absent' : kind >= 1 && kind <= 4;
  if (!known) throw new ProtocolError(`An entry has the kind ${kind}`);
  if (digest.length !== 0 && digest.length !== 32) throw new ProtocolError(`A digest has ${digest.length} bytes`);
  if (entry.mode > 0o7777) throw new ProtocolError(`An entry has the mode ${entry.mode}`);
  if (entry.size > safeSize) throw new ProtocolError(`An entry has the size ${entry.size}`);
  if ((entry.target !== '') !== (kind === EntryKind.ENTRY_KIND_SYMLINK) || entry.target.includes('\0')) {
    throw new ProtocolError('An entry has a target that does not go with its kind');
  }
  if (Buffer.byteLength(entry.target) > pathLimit) throw new ProtocolError('A link has a target that is too long');
  return entry;
}

export function checkChange(change: Change, absent: 'absent' | 'present'): { path: string; entry: Entry } {
  return { path: checkPath(change.path), entry: checkEntry(change.entry, absent) };
}

/** Problem paths are for people: escaped where they are no UTF-8, so only their length is bounded. */
export function checkProblem(problem: Problem): Problem {
  if (problem.path.length > 4 * pathLimit || problem.message.length > textLimit) {
    throw new ProtocolError('A problem has a text that is too long');
  }
  return problem;
}

/** Of a regular file; whether the blocks are as many as its size says is for whoever uses them. */
export function checkSignature(signature: Signature): Signature {
  if (checkEntry(signature.entry, 'present').kind !== EntryKind.ENTRY_KIND_FILE) {
    throw new ProtocolError('A signature of something else than a file came');
  }
  return signature;
}

export function checkRoot(root: RootIdentity | undefined): RootIdentity {
  if (root === undefined) throw new ProtocolError('The root is missing');
  return root;
}

/** The helper's words as a bounded line without control characters. */
export function safeText(text: string): string {
   
  return text.slice(0, 1000).replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}
