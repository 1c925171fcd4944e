import { dirname, basename } from 'node:path';
import type { StateFiles } from '../../base/state-files.ts';

/** State files in memory; `contents` can be looked at and spoiled. */
export function memoryStateFiles(): StateFiles & { readonly contents: Map<string, Buffer> } {
  const contents = new Map<string, Buffer>();
  return {
    contents,
    read: async (path) => contents.get(path),
    write: async (path, content) => void contents.set(path, Buffer.from(content as string)),
    remove: async (path) => void contents.delete(path),
    list: async (folder) =>
      [...contents.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path)),
  };
}
