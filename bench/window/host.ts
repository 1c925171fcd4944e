// The app's own main process on a real cluster, behind a real web host; only the sync of its sessions is none.
// Runs as a child of a benchmark, which asks it things: see host-questions.ts.
import { Session } from 'node:inspector/promises';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { ParamsOf, StateName, ValueOf } from '../../contract/api.ts';
import { compose } from '../../main/compose.ts';
import { composeWindow } from '../../main/compose-window.ts';
import { startWebHost } from '../../main/hosts/web/server.ts';
import { inProcessPorts } from '../../main/ipc/in-process.ts';
import { createClient, type Client } from '../../renderer/ipc/remote-client.ts';
import { answerQuestions } from '../support/children.ts';
import { FloodRig } from './flood-rig.ts';
import type { HostQuestion, LoopDelay, StartedSession } from './host-questions.ts';

/** The delay is what a timer of this interval takes longer. */
const resolutionMs = 2;
const windowFolder = fileURLToPath(new URL('../../dist/renderer', import.meta.url));
const startWithinMs = 120_000;

const services = compose({ environment: process.env, platform: process.platform });
const flood = new FloodRig();
const window = await composeWindow({
  services: {
    ...services,
    syncRig: async ({ pairs }) => ({
      ...flood.rig((pairs[0]?.path ?? '').split(':')[0] ?? ''),
      wrapper: undefined,
      dryRun: () => Promise.reject(new Error('This rig compares nothing.')),
    }),
  },
  abilities: { host: 'web', startFolder: process.cwd() },
  environment: process.env,
  platform: process.platform,
  onBug: (error) => console.error('main:', error),
});
const host = await startWebHost({
  folder: windowFolder,
  port: 0,
  token: randomBytes(32).toString('base64url'),
  clock: services.clock,
  accept: (connection) => window.dispatcher.connect(connection),
});
const ports = inProcessPorts();
window.dispatcher.connect(ports.main);
const client = createClient();
client.attach(ports.window);
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();
let profiler: Session | undefined;

answerQuestions<HostQuestion>(async (question) => {
  switch (question.kind) {
    case 'url':
      return host.url;
    case 'session':
      return startSession(client, question);
    case 'flood':
      return flood.flood(question.perSecond);
    case 'told':
      return flood.told;
    case 'reset-delays':
      return delays.reset();
    case 'delays':
      return delaysNow();
    case 'memory':
      return process.memoryUsage();
    case 'cpu':
      return process.cpuUsage();
    case 'profile':
      return startProfile();
    case 'end-profile':
      return endProfile(question.path);
  }
});

process.once('SIGTERM', () => {
  flood.flood(0);
  window.sessions
    .stopAll()
    .then(() => host[Symbol.asyncDispose]())
    .then(() => window[Symbol.asyncDispose]())
    .then(() => process.exit(0))
    .catch((error: unknown) => {
      console.error('main:', error);
      process.exit(1);
    });
});

function delaysNow(): LoopDelay {
  const at = (share: number): number => Math.max(0, delays.percentile(share) / 1e6 - resolutionMs);
  return { p50: at(50), p99: at(99), max: Math.max(0, delays.max / 1e6 - resolutionMs) };
}

async function startProfile(): Promise<void> {
  profiler = new Session();
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.start');
}

async function endProfile(path: string): Promise<void> {
  if (profiler === undefined) return;
  const { profile } = await profiler.post('Profiler.stop');
  profiler.disconnect();
  await writeFile(path, JSON.stringify(profile));
}

/** Starts a session as the Start form does, and waits until it runs. */
async function startSession(
  app: Client,
  { namespace, folder, command }: Extract<HostQuestion, { kind: 'session' }>,
): Promise<StartedSession> {
  const clusters = await until(app, 'clusters.list', {}, (list) => list.state === 'ready');
  const [cluster = ''] = clusters.order;
  await until(app, 'clusters.connection', { cluster }, ({ state }) => state === 'connected');
  const plan = await app.call('workloads.plan', {
    ...{ cluster, namespace, kind: 'Deployment', name: 'web', folder, containerPath: '/app' },
    ...{ createPath: false, excludes: [], ports: [], env: [] },
    ...(command === undefined ? {} : { command }),
  });
  const { session } = await app.call('sessions.start', { plan: plan.id });
  const detail = await until(app, 'sessions.detail', { session }, ({ summary }) =>
    ['running', 'failed', 'left', 'ended'].includes(summary.stage),
  );
  if (detail.summary.stage !== 'running') throw new Error(JSON.stringify(detail.result));
  return { session, pod: detail.pod ?? '' };
}

function until<Name extends StateName>(
  app: Client,
  name: Name,
  params: ParamsOf<Name>,
  wanted: (value: ValueOf<Name>) => boolean,
): Promise<ValueOf<Name>> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => reject(new Error(`${name} does not become as wanted`)), startWithinMs);
    const watching = app.watch(name, params, ({ value }) => {
      if (value === undefined || !wanted(value)) return;
      clearTimeout(timeout);
      resolve(value);
      queueMicrotask(() => watching[Symbol.dispose]());
    });
  });
}
