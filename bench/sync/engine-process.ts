// The app's sync on a real cluster, joined as `slipway sync` joins it, in a process of its own: see engine-questions.ts.
import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { Socket } from 'node:net';
import { compose } from '../../main/compose.ts';
import { runSync } from '../../main/dev/run-sync.ts';
import { openSelectorPodSource } from '../../main/dev/selector-pod-source.ts';
import { answerQuestions } from '../support/children.ts';
import { monotonicMs } from './clock.ts';
import type { EngineQuestion, OpenTimes, Resources } from './engine-questions.ts';

const sockets = new Set<Socket>();
let closedBytes = 0;
const connect = Reflect.get(Socket.prototype, 'connect') as (...args: unknown[]) => Socket;
Reflect.set(Socket.prototype, 'connect', function (this: Socket, ...args: unknown[]): Socket {
  sockets.add(this);
  this.once('close', () => {
    sockets.delete(this);
    closedBytes += this.bytesWritten;
  });
  return connect.apply(this, args);
});

const services = compose({ environment: process.env, platform: process.platform });
const stop = new AbortController();
let running: Promise<void> = Promise.resolve();
let profiler: Session | undefined;

answerQuestions<EngineQuestion>(async (question) => {
  switch (question.kind) {
    case 'open':
      return open(question);
    case 'sent':
      return [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, closedBytes);
    case 'collect':
      return globalThis.gc?.();
    case 'resources':
      return resources();
    case 'profile':
      profiler = new Session();
      profiler.connect();
      await profiler.post('Profiler.enable');
      return profiler.post('Profiler.start');
    case 'end-profile': {
      if (profiler === undefined) return undefined;
      const { profile } = await profiler.post('Profiler.stop');
      return writeFile(question.path, JSON.stringify(profile));
    }
    case 'close':
      stop.abort();
      return running;
  }
});

process.once('SIGTERM', () => {
  stop.abort();
  running.then(
    () => process.exit(0),
    () => process.exit(1),
  );
});

async function open(question: Extract<EngineQuestion, { kind: 'open' }>): Promise<OpenTimes> {
  const { namespace, pod, container, local, remote } = question;
  const kube = await services.connectToChange({}, () => Promise.resolve(undefined));
  const rig = await services.syncRig({
    ...{ kube, workingFolder: process.cwd(), createPath: false },
    pairs: [{ path: `${local}:${remote}` }],
    target: { namespace, name: pod, container },
  });
  const times: { -readonly [Name in keyof OpenTimes]?: number } = {};
  let cpuAttached = 0;
  const ready = Promise.withResolvers<void>();
  running = runSync({
    openSource: () =>
      openSelectorPodSource({
        ...{ kube, clock: services.clock, signal: stop.signal },
        selector: { namespace, pod, container },
      }),
    factories: {
      ...rig.factories,
      async openSync(pair, source) {
        times.begun = monotonicMs();
        const sync = await rig.factories.openSync(pair, source);
        sync.onEvent((event) => {
          if (event.kind !== 'state') return;
          if (event.state.kind === 'connecting') times.connecting ??= monotonicMs();
          if (event.state.kind === 'scanning' && times.attached === undefined) {
            times.attached = monotonicMs();
            cpuAttached = cpuMs();
          }
          if (event.state.kind === 'in-sync' && times.inSync === undefined) {
            times.inSync = monotonicMs();
            times.cpuMs = cpuMs() - cpuAttached;
          }
        });
        return sync;
      },
    },
    pairs: rig.pairs,
    emit(event) {
      if (event.event === 'ready') ready.resolve();
      if (event.event === 'held') console.error(`held: ${event.reason}`);
    },
    cleanUp: (source) => rig.cleanUp(source),
    stop: stop.signal,
  });
  running.catch(ready.reject);
  await ready.promise;
  const { begun = 0, inSync = 0, cpuMs: spent = 0 } = times;
  const { connecting = begun, attached = connecting } = times;
  return { begun, connecting, attached, inSync, cpuMs: spent };
}

function resources(): Resources {
  return { pid: process.pid, cpuMs: cpuMs(), residentBytes: process.memoryUsage.rss() };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
