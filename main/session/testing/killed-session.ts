/** Starts a session and waits to be killed: `killed-session.ts NAMESPACE HOME`. Says `started` when it is up. */
import { diskStateFiles } from '../../base/state-files.ts';
import { systemClock } from '../../base/clock.ts';
import { createProcessMarks } from '../../base/process-marks.ts';
import { createSessions } from '../session.ts';
import { connectCluster } from './cluster.ts';

const [namespace = '', home = ''] = process.argv.slice(2);
const kube = await connectCluster();
const sessions = createSessions({
  kube,
  stateFiles: diskStateFiles,
  home,
  clock: systemClock,
  machine: 'killed',
  processes: createProcessMarks(),
});
const target = { kind: 'Deployment', name: 'web' };
const outcome = await sessions.start(
  await sessions.plan({ namespace, target, project: 'test', changes: {} }),
);
if (outcome.kind !== 'started') throw new Error(outcome.kind);
await outcome.session.waitForPod();
process.stdout.write('started\n');
