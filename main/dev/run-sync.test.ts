import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../contract/session-events.ts';
import { SlipwayError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { PodSource } from './pod-source.ts';
import { runSync } from './run-sync.ts';

const source: PodSource = {
  current: () =>
    Promise.resolve({ namespace: 't', pod: 'web-1', uid: 'u', container: 'web', containerId: 'c' }),
  onChange: new Emitter<undefined>().event,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** A sync whose first comparison ends as told; gives what it told and how often the container was cleaned. */
async function run(inSync: (stop: AbortController) => Promise<void>) {
  const events: SessionEvent[] = [];
  const stop = new AbortController();
  let cleaned = 0;
  const error = await runSync({
    openSource: () => Promise.resolve(source),
    factories: {
      openSync: () =>
        Promise.resolve({
          onEvent: new Emitter<never>().event,
          inSync: () => inSync(stop),
          resolveHeld: () => false,
          stop: () => Promise.resolve(),
        }),
      openForward: () => Promise.reject(new Error('Nothing is forwarded')),
    },
    pairs: [{ local: '/l', remote: '/r' }],
    emit: (event) => events.push(event),
    cleanUp: () => {
      cleaned++;
      return Promise.resolve(undefined);
    },
    once: true,
    stop: stop.signal,
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, cleaned, last: events.at(-1)?.event };
}

describe('a sync without a session', () => {
  it('takes the helper out of the container at its end', async () => {
    expect(await run(() => Promise.resolve())).toEqual({ error: undefined, cleaned: 1, last: 'stopped' });
  });

  it('does so too when it is stopped during its first comparison, and ends well', async () => {
    const stopped = await run((stop) => {
      stop.abort(Object.assign(new Error('stop'), { name: 'AbortError' }));
      return Promise.reject(stop.signal.reason as Error);
    });
    expect(stopped).toEqual({ error: undefined, cleaned: 1, last: 'stopped' });
  });

  it('does so too when it fails, and says why', async () => {
    const failure = new SlipwayError({ code: 'sync.remote-path-missing', message: 'No folder.', next: '' });
    expect(await run(() => Promise.reject(failure))).toMatchObject({ error: failure, cleaned: 1 });
  });
});
