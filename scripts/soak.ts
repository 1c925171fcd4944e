// npm run soak -- [--minutes 30] [--cut-seconds 20] [--pod-minutes 5] [--edits 5] [--seed N]
// A long run of random edits on both sides of a real pair, over a line that is cut and a pod that is deleted again and
// again. Ends with 0 when both sides are alike, nothing is lost, and memory and open files are flat.
import { parseArgs } from 'node:util';
import { ensureUp, sandboxKubeconfigPath } from '../sandbox/client.ts';
import { soak } from '../tests/faults/support/soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    'cut-seconds': { type: 'string', default: '20' },
    'pod-minutes': { type: 'string', default: '5' },
    edits: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

await ensureUp();
process.env['SLIPWAY_TEST_KUBECONFIG'] ??= sandboxKubeconfigPath();
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(`seed ${values.seed}`);
const wrong = await soak({
  minutes: Number(values.minutes),
  cutSeconds: Number(values['cut-seconds']),
  podMinutes: Number(values['pod-minutes']),
  editsPerSecond: Number(values.edits),
  seed: Number(values.seed),
  say,
});
for (const line of wrong) say(`WRONG ${line}`);
say(wrong.length === 0 ? 'soak: passed' : `soak: ${wrong.length} wrong`);
process.exitCode = wrong.length === 0 ? 0 : 1;
