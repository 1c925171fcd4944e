import { open } from 'node:fs/promises';
import type { StateFiles } from '../base/state-files.ts';
import { diskStateFiles, onStateDisk } from '../base/state-files.ts';

/** State files that can also grow at their end; what an unfinished append left is found by its checksum. */
export interface AncestorFiles extends StateFiles {
  append(path: string, content: Uint8Array): Promise<void>;
}

export const diskAncestorFiles: AncestorFiles = {
  ...diskStateFiles,
  append: (path, content) =>
    onStateDisk(path, async () => {
      const handle = await open(path, 'a', 0o600);
      try {
        await handle.writeFile(content);
      } finally {
        await handle.close();
      }
    }),
};
