import type { Entry } from './entry.ts';
import type { GuardVerdict } from './reconcile.ts';

/** Bytes in one part and in a whole path, as Linux has them. */
export const partLimit = 255;
export const pathLimit = 4095;

/** What the file system of one side cannot hold. */
export interface NameRules {
  readonly windows: boolean;
  readonly caseInsensitive: boolean;
  /** Composed and decomposed letters are one name. */
  readonly normalising: boolean;
}

/** What Linux takes: every name is itself. */
export const anyNames: NameRules = { windows: false, caseInsensitive: false, normalising: false };

const reservedOnWindows = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

/**
 * Why a path from the other side cannot be used, or undefined when it is a relative path of ordinary names.
 * Everything that comes over the wire passes here before it reaches a file system.
 */
export function pathProblem(path: string, names: NameRules = anyNames): string | undefined {
  if (path === '') return 'the path is empty';
  if (path.includes('\0')) return 'the path contains a NUL character';
  if (!path.isWellFormed()) return 'the path is not valid Unicode';
  if (path.includes('\uFFFD')) return 'the name is not valid UTF-8, or looks as if it were not';
  if (path.startsWith('/')) return 'the path is absolute';
  if (path.length > pathLimit || Buffer.byteLength(path) > pathLimit) return 'the path is too long';
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return `the path has the part "${part}"`;
    if (Buffer.byteLength(part) > partLimit) return 'a name in the path is too long';
    if (names.windows) {
      const problem = windowsProblem(part);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function windowsProblem(part: string): string | undefined {
  if (/[\u0000-\u001f<>:"\\|?*]/.test(part)) return 'the name has a character that Windows does not allow';
  if (/[. ]$/.test(part)) return 'the name ends with a dot or a blank, which Windows drops';
  if (reservedOnWindows.test(part)) return 'the name is reserved by Windows';
  return undefined;
}

/** Longest target that portable tools agree on. */
const linkTargetLimit = 4095;

/**
 * Why a link cannot be kept as a link inside the root: its target is absolute, climbs out, or is not a path.
 * Judged by text alone; nothing is ever followed. So `..` may only come first, where it leaves folders that are known
 * to be real: after a name it leaves whatever that name is a link to.
 */
export function linkProblem(path: string, target: string): string | undefined {
  if (target === '' || target.includes('\0') || !target.isWellFormed())
    return 'the link has no usable target';
  if (Buffer.byteLength(target) > linkTargetLimit) return 'the target of the link is too long';
  if (target.startsWith('/') || /^[A-Za-z]:/.test(target) || target.includes('\\')) {
    return 'the link points outside of the synced folder';
  }
  let depth = path.split('/').length - 1;
  let descended = false;
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') descended = true;
    else if (descended) return 'the link climbs out of a folder that may be a link itself';
    else depth -= 1;
    if (depth < 0) return 'the link points outside of the synced folder';
  }
  return undefined;
}

/** Whether an entry of the other side may be created on a side at all. */
export function guardEntry(path: string, entry: Entry, names: NameRules): GuardVerdict {
  const problem =
    pathProblem(path, names) ?? (entry.kind === 'symlink' ? linkProblem(path, entry.target) : undefined);
  if (problem === undefined) return { kind: 'allow' };
  return { kind: 'refuse', message: `Not synced: ${problem}` };
}
