import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenSync } from './tool.ts';

/** Records where the engine spends its time until disposed, if a folder for it is given. */
export async function profiled(
  { engine }: OpenSync,
  folder: string | undefined,
  name: string,
): Promise<AsyncDisposable> {
  if (folder === undefined || engine === undefined) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  await mkdir(folder, { recursive: true });
  await engine.ask({ kind: 'profile' });
  return {
    async [Symbol.asyncDispose]() {
      await engine.ask({ kind: 'end-profile', path: join(folder, `${name}.cpuprofile`) });
    },
  };
}
