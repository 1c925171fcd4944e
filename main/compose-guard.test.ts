import { describe, expect, it } from 'vitest';
import type { StateFiles } from './base/state-files.ts';
import { clusterIdOf } from './clusters/cluster-id.ts';
import { readGuard } from './compose-guard.ts';
import { parseKubeconfig } from './kube/kubeconfig-parse.ts';

const config = parseKubeconfig('/config', '{contexts: [{name: "a b", context: {}}, {name: c, context: {}}]}');

async function guardOf(context: string, settings: string | undefined) {
  const files: Pick<StateFiles, 'read'> = {
    read: async () => (settings === undefined ? undefined : Buffer.from(settings)),
  };
  return readGuard({ home: '/home', files: files as StateFiles, config, context });
}
const guarded = (file: string, context: string, guard: string): string =>
  JSON.stringify({ clusters: { [clusterIdOf(file, context)]: { guard } } });

describe('the guard of a context on the command line', () => {
  it.each([
    ['no settings', 'c', undefined, 'none'],
    ['that of the context', 'c', guarded('/config', 'c', 'read-only'), 'read-only'],
    ['not that of another context', 'a b', guarded('/config', 'c', 'read-only'), 'none'],
    ['not that of another file', 'c', guarded('/other', 'c', 'read-only'), 'none'],
  ])('is %s', async (_name, context, settings, guard) => {
    const chosen = await guardOf(context, settings);
    expect(chosen).toMatchObject({ guard, context });
    expect(chosen.unknown).toBeUndefined();
  });

  it('names the flag as a shell takes it', async () => {
    expect((await guardOf('a b', guarded('/config', 'a b', 'confirm'))).next).toContain("--confirm 'a b'");
  });

  it('is unknown where damage may have taken it, and known where it is still there', async () => {
    const damaged = await guardOf('c', '{"clusters": {');
    expect(damaged).toMatchObject({ guard: 'read-only', unknown: { code: 'settings.invalid' } });
    const other = JSON.stringify({
      clusters: { [clusterIdOf('/config', 'c')]: { guard: 'confirm' }, x: { guard: 'odd' } },
    });
    expect(await guardOf('c', other)).not.toHaveProperty('unknown');
    expect((await guardOf('c', other)).guard).toBe('confirm');
    expect((await guardOf('a b', other)).unknown).toBeDefined();
  });
});
