import type { Change } from './change.ts';
import { compareEntries } from './compare.ts';
import type { Entry } from './entry.ts';
import type { Tree } from './tree.ts';
import { parentOf } from './tree.ts';

/** Applies steps to a side as strictly as a file system would; throws where a step could not be done. */
export function applyStrictly(target: Tree, changes: readonly Change[], trash: Entry[]): void {
  for (const change of changes) {
    const { path } = change;
    const now = target.get(path);
    if (compareEntries(now, change.expected, 0o700) !== 'same')
      throw new Error(`${change.kind} ${path}: not as expected`);
    if (now?.kind === 'file' && change.kind !== 'chmod' && change.kind !== 'rename') trash.push(now);
    switch (change.kind) {
      case 'put':
        requireFolder(target, path);
        target.set(path, { ...change.source, mode: change.mode });
        break;
      case 'directory':
        requireFolder(target, path);
        target.set(path, { kind: 'directory', mode: change.mode, inode: 3n });
        break;
      case 'symlink':
        requireFolder(target, path);
        target.set(path, { kind: 'symlink', target: change.target });
        break;
      case 'chmod':
        if (now === undefined || !('mode' in now)) throw new Error(`chmod ${path}: nothing there`);
        target.set(path, { ...now, mode: change.mode });
        break;
      case 'delete':
        if (target.hasChildren(path)) throw new Error(`delete ${path}: not empty`);
        target.delete(path);
        break;
      case 'rename':
        requireFolder(target, change.to);
        if (target.get(change.to) !== undefined)
          throw new Error(`rename to ${change.to}: something is there`);
        target.delete(path);
        if (now?.kind === 'file') target.set(change.to, { ...now, mode: change.mode });
        break;
    }
  }
}

function requireFolder(target: Tree, path: string): void {
  const parent = parentOf(path);
  if (parent !== '' && target.get(parent)?.kind !== 'directory')
    throw new Error(`${path}: no folder to be in`);
}
