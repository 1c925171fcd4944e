import { describe, expect, it } from 'vitest';
import { openFolder } from './folder-reader.ts';

describe('a folder of this machine', () => {
  it.each(['.', 'src', '../..', '~', '~/shop', './x'])(
    'is not %s: another part would begin elsewhere',
    async (path) => {
      await expect(openFolder(path)).rejects.toMatchObject({ code: 'sync.local-path-missing' });
    },
  );

  it('is the one that a link leads to', async () => {
    expect((await openFolder('/proc/self/cwd')).path).toBe(process.cwd());
  });
});
