import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../contract/session-events.ts';
import { systemClock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { PodState, Session, SessionPlan } from '../session/session.ts';
import type { SyncEvent } from '../sync/sync-event.ts';
import { runDev } from './run-dev.ts';
import type { PairSync } from './services.ts';

const plan = {
  request: { namespace: 't' },
  target: { name: 'web', replicas: 1 },
  devObject: { metadata: { name: 'web-dev' } },
} as unknown as SessionPlan;

const running = {
  kind: 'running',
  pod: { name: 'web-dev-1', uid: 'u', containerId: 'c', container: 'web', ready: true },
} as unknown as PodState;

interface Fakes {
  readonly cancelStart?: boolean;
  readonly failSync?: SlipwayError;
  readonly stopSync?: () => Promise<void>;
  readonly stopSession?: () => Promise<never>;
  /** Ends the sync for good once it is ready. */
  readonly bug?: Error;
}

/** A session that is stopped as soon as it is ready; gives what it told and what was put back. */
async function develop({ stopSync, stopSession, cancelStart = false, failSync, bug }: Fakes) {
  const events: SessionEvent[] = [];
  const stop = new AbortController();
  const cancelled = Object.assign(new Error('stop'), { name: 'AbortError' });
  let restored = 0;
  const session = {
    id: 's',
    namespace: 't',
    devName: 'web-dev',
    target: { kind: 'Deployment', name: 'web' },
    onEvent: new Emitter<never>().event,
    waitForPod: () => Promise.resolve(),
    observePod: (listener: (state: PodState) => void) => {
      listener(running);
      return { [Symbol.asyncDispose]: () => Promise.resolve() };
    },
    stop: () => {
      restored++;
      return stopSession?.() ?? Promise.resolve({ done: ['web is back.'], kept: [], remains: [] });
    },
  } as unknown as Session;
  const syncEvents = new Emitter<SyncEvent>();
  const sync: PairSync = {
    onEvent: syncEvents.event,
    inSync: () => (failSync === undefined ? Promise.resolve() : Promise.reject(failSync)),
    resolveHeld: () => false,
    stop: stopSync ?? (() => Promise.resolve()),
  };
  const outcome = runDev({
    sessions: {
      start: () => {
        if (!cancelStart) return Promise.resolve({ kind: 'started', session, continued: false });
        stop.abort(cancelled);
        return Promise.reject(cancelled);
      },
      restore: () => Promise.reject(new Error('Nothing to restore')),
    },
    plan,
    missingRights: [],
    factories: {
      openSync: () => Promise.resolve(sync),
      openForward: () => Promise.reject(new Error('Nothing is forwarded')),
    },
    pairs: [{ local: '/l', remote: '/r' }],
    ports: [],
    keep: false,
    emit: (event) => {
      events.push(event);
      if (event.event !== 'ready') return;
      if (bug === undefined) stop.abort(cancelled);
      else syncEvents.fire({ kind: 'state', state: { kind: 'failed', reason: bug } });
    },
    onOwnDead: () => Promise.reject(new Error('Nobody is asked')),
    cleanUp: () => Promise.resolve(undefined),
    // Whatever is waited for longer than a second is over at once.
    clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms > 1000 ? 20 : ms, signal) },
    stop: stop.signal,
  });
  const error = await outcome.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, restored, told: events.map(({ event }) => event) };
}

describe('the end of a dev session', () => {
  it('puts the workload back and says so', async () => {
    const { error, restored, told } = await develop({});
    expect([error, restored, told.at(-1)]).toEqual([undefined, 1, 'stopped']);
  });

  it('is told as well when it was stopped before there was one', async () => {
    const { error, restored, told } = await develop({ cancelStart: true });
    expect([error, restored, told.at(-1)]).toEqual([undefined, 0, 'stopped']);
  });

  it('puts the workload back although the sync fails to end', async () => {
    const { error, restored, told } = await develop({
      stopSync: () => Promise.reject(new Error('the disk is full')),
    });
    expect([restored, told.at(-1)]).toEqual([1, 'stopped']);
    expect(error).toBeInstanceOf(AggregateError);
  });

  it('puts the workload back although the sync never ends', async () => {
    const { error, restored, told } = await develop({ stopSync: () => new Promise(() => undefined) });
    expect([error, restored]).toEqual([undefined, 1]);
    expect(told.slice(-3)).toEqual(['notice', 'phase', 'stopped']);
  });

  it('tells one reason once', async () => {
    const lost = new SlipwayError({ code: 'session.not-found', message: 'Its Lease was removed.', next: '' });
    const { error, told } = await develop({ failSync: lost, stopSession: () => Promise.reject(lost) });
    expect([error, told.includes('error')]).toEqual([lost, false]);
  });

  it('puts the workload back when the sync hits a bug, and hands the bug on', async () => {
    const bug = new TypeError('a bug');
    const { error, restored } = await develop({ bug });
    expect([error, restored]).toEqual([bug, 1]);
  });

  it('says how to restore what could not be put back', async () => {
    const unreachable = new SlipwayError({
      code: 'cluster.unreachable',
      message: 'Nobody answers.',
      cause: 'ECONNREFUSED',
      next: '',
    });
    const { error } = await develop({ stopSession: () => Promise.reject(unreachable) });
    expect(error).toMatchObject({
      code: 'session.restore-incomplete',
      causeText: 'Nobody answers. ECONNREFUSED',
      next: expect.stringContaining('slipway reset pods -n t') as string,
    });
  });
});
