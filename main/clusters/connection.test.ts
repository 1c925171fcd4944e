import { describe, expect, it } from 'vitest';
import { SlipwayError } from '../base/errors.ts';
import type { Kube } from '../kube/kube.ts';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { recheckMs, watchConnection } from './connection.ts';

function failure(code: SlipwayError['code']): SlipwayError {
  return new SlipwayError({ code, message: code, cause: 'Because.', next: 'Do.' });
}
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A server that fails as told, and counts. */
function server() {
  const state: { error: Error | undefined; whoAmI: Error | undefined; versions: number; reviews: number } = {
    error: undefined,
    whoAmI: undefined,
    versions: 0,
    reviews: 0,
  };
  const kube: Pick<Kube, 'version' | 'whoAmI'> = {
    async version() {
      state.versions += 1;
      if (state.error !== undefined) throw state.error;
      return { major: 1, minor: 34, gitVersion: 'v1.34.0\u001b[31m' };
    },
    async whoAmI() {
      state.reviews += 1;
      if (state.whoAmI !== undefined) throw state.whoAmI;
      return { username: 'dev', groups: [] };
    },
  };
  return { state, kube: async () => kube as Kube };
}

describe('a connection', () => {
  it('is looked at again now and then; the user is asked for once, and nothing new is told', async () => {
    const clock = createFakeClock();
    const { state, kube } = server();
    await using watch = watchConnection({ kube, clock, random: () => 1 });
    await later();
    const connected = watch.store.value;
    expect(connected).toEqual({ state: 'connected', version: 'v1.34.0[31m', user: 'dev' });
    await clock.advance(3 * recheckMs);
    expect(state).toMatchObject({ versions: 4, reviews: 1 });
    expect(watch.store.value).toBe(connected);
  });

  it('that fails is tried again with growing pauses until it works', async () => {
    const clock = createFakeClock();
    const { state, kube } = server();
    state.error = failure('cluster.unreachable');
    await using watch = watchConnection({ kube, clock, random: () => 1 });
    await later();
    expect(watch.store.value).toMatchObject({ state: 'failed', error: { code: 'cluster.unreachable' } });
    const told = watch.store.value;
    const attempts: number[] = [];
    for (const seconds of [2, 4, 8, 16, 30, 30]) {
      await clock.advance(seconds * 1000);
      await later();
      attempts.push(state.versions);
    }
    expect(attempts).toEqual([2, 3, 4, 5, 6, 7]);
    expect(watch.store.value).toBe(told);
    state.error = undefined;
    await clock.advance(30_000);
    await later();
    expect(watch.store.value.state).toBe('connected');
  });

  it.each(['credential.plugin-failed', 'consent.refused', 'kubeconfig.invalid', 'cluster.unknown'] as const)(
    'that fails with %s waits for its user',
    async (code) => {
      const clock = createFakeClock();
      const { state, kube } = server();
      state.error = failure(code);
      await using watch = watchConnection({ kube, clock });
      await later();
      await clock.advance(3_600_000);
      expect(state.versions).toBe(1);
      state.error = undefined;
      watch.retry();
      expect(watch.store.value.state).toBe('connecting');
      await later();
      expect(watch.store.value.state).toBe('connected');
    },
  );

  it.each(['cluster.forbidden', 'cluster.not-found'] as const)(
    'works also where asking for the user ends in %s',
    async (code) => {
      const { state, kube } = server();
      state.whoAmI = failure(code);
      await using watch = watchConnection({ kube, clock: createFakeClock() });
      await later();
      expect(watch.store.value).toEqual({ state: 'connected', version: 'v1.34.0[31m' });
    },
  );

  it('ends at once, whatever it waits for', async () => {
    const clock = createFakeClock();
    const { state, kube } = server();
    state.error = failure('consent.refused');
    const watch = watchConnection({ kube, clock });
    await later();
    await watch[Symbol.asyncDispose]();
    expect(state.versions).toBe(1);
  });
});
