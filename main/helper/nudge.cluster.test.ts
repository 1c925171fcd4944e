import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { folderAssets } from './assets.ts';
import { connectHelper } from './attach.ts';
import { OperationResult_Outcome, WriteMode, type Entry } from './gen/slipway/helper/v1/helper.ts';
import { injectHelper } from './inject.ts';
import { kubectl, startPod } from './testing/cluster.ts';
import { putItem } from './testing/items.ts';

const assets = folderAssets(fileURLToPath(new URL('../../assets/helper', import.meta.url)));
const saves = 20;

it('a real node --watch takes every save, although each one replaces the file', async () => {
  await using pod = await startPod('sandbox/node:1');
  const log = (): Promise<string> => kubectl(['-n', pod.target.namespace, 'logs', pod.target.pod]);
  const shows = async (version: string): Promise<boolean> => {
    for (let tries = 0; tries < 40; tries += 1) {
      if ((await log()).includes(`, version ${version}\n`)) return true;
      await systemClock.sleep(100);
    }
    return false;
  };
  expect(await shows('1')).toBe(true);
  const { path } = await injectHelper({ kube: pod.kube, target: pod.target, session: 'nudge', assets });
  await using connection = await connectHelper({
    kube: pod.kube,
    target: pod.target,
    helperPath: path,
    pair: 'app',
    root: '/app',
    createRoot: false,
    writeMode: WriteMode.WRITE_MODE_AUTO,
    rules: [],
    poll: false,
    epoch: 1,
    trashCapBytes: 1024 * 1024,
  });
  const source = await kubectl(['-n', pod.target.namespace, 'exec', pod.target.pod, '--', 'cat', '/app/server.js']);
  let expected: Entry | undefined = (await connection.checksums(['server.js'])).get('server.js');
  const taken: boolean[] = [];
  for (let save = 1; save <= saves; save += 1) {
    const content = source.replace("const version = '1'", `const version = 's${save}'`);
    const item = putItem('server.js', content, expected === undefined ? {} : { expected });
    const [result] = await connection.apply([item], 'interactive');
    expect(result).toMatchObject({ outcome: OperationResult_Outcome.OUTCOME_APPLIED, inPlace: false });
    expected = result?.now;
    taken.push(await shows(`s${save}`));
  }
  expect(taken).toEqual(Array.from({ length: saves }, () => true));
}, 180_000);
