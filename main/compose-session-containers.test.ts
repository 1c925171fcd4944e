import { describe, expect, it } from 'vitest';
import { systemClock } from './base/clock.ts';
import { Emitter } from './base/event.ts';
import { Terminals } from './channels/terminals.ts';
import { composeSessionContainers } from './compose-session-containers.ts';
import type { ContainerRef } from './dev/pod-source.ts';
import type { Guard } from '../contract/settings.ts';
import { assertGuardAllows } from './kube/guard-decision.ts';
import type { Kube } from './kube/kube.ts';

const size = { columns: 80, rows: 24 };
const { signal } = new AbortController();
const target: ContainerRef = {
  namespace: 'n',
  pod: 'web-dev-1',
  uid: 'u',
  container: 'web',
  containerId: 'c',
};

/** A session that runs, with a guard that is chosen while it does. */
function sessionOn(chosen: { guard: Guard }) {
  const ran: string[] = [];
  const kube = {
    exec: async () => {
      ran.push('exec');
      throw new Error('the shell ended');
    },
  } as unknown as Kube;
  const reach = {
    ...{ kube, cluster: 'prod', namespace: 'n', devName: 'web-dev' },
    source: {
      onChange: new Emitter<ContainerRef | undefined>().event,
      current: async () => target,
      [Symbol.asyncDispose]: async () => undefined,
    },
  };
  const live = { get: () => ({ reach, isOver: false, detail: undefined as never }) };
  const containers = composeSessionContainers(live, {
    assertMayBegin() {
      if (chosen.guard === 'read-only')
        assertGuardAllows(chosen.guard, { context: 'prod', next: 'Change it.' });
    },
  });
  return { containers, ran };
}

describe('a session whose context became read-only while it runs', () => {
  it('opens no new shell, and neither restarts one', async () => {
    const chosen: { guard: Guard } = { guard: 'none' };
    const { containers, ran } = sessionOn(chosen);
    const clusters = { kubeFor: () => Promise.reject(new Error('A session has its own')) };
    await using terminals = new Terminals({ clusters, sessions: containers, clock: systemClock });
    const id = await terminals.open({ kind: 'session', session: 's' }, size, signal);
    await expect.poll(() => ran).toEqual(['exec']);
    chosen.guard = 'read-only';
    const again = terminals.open({ kind: 'session', session: 's' }, size, signal);
    await expect(again).rejects.toMatchObject({ code: 'cluster.read-only', next: 'Change it.' });
    await terminals.restart(id, size);
    await expect
      .poll(() => terminals.list.value.items[id])
      .toMatchObject({ state: 'lost', error: { code: 'cluster.read-only' } });
    expect(ran).toEqual(['exec']);
    chosen.guard = 'none';
    await terminals.restart(id, size);
    await expect.poll(() => ran).toEqual(['exec', 'exec']);
  });

  it('still lets its log be followed', async () => {
    const { containers } = sessionOn({ guard: 'read-only' });
    expect(await containers.containerOf('s')).toMatchObject({ cluster: 'prod', target });
  });

  it('needs no other confirmation than that of its start', async () => {
    const { containers } = sessionOn({ guard: 'confirm' });
    expect(await containers.containerOf('s', signal, 'shell')).toMatchObject({ target });
  });
});
