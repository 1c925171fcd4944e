import { describe, expect, it } from 'vitest';
import { api } from '../../contract/api.ts';
import { systemClock } from '../base/clock.ts';
import type { Kube } from '../kube/kube.ts';
import { Terminals, type SessionContainers } from './terminals.ts';

const size = { columns: 80, rows: 24 };
const place = { cluster: 'c', namespace: 'n', pod: 'p' };
const { signal } = new AbortController();

describe('a shell', () => {
  it.each([new Error('nobody expected this'), new TypeError('x is not a function')])(
    'that fails with %s is lost, and nothing else',
    async (error) => {
      const kube = { exec: () => Promise.reject(error), get: () => Promise.reject(error) } as unknown as Kube;
      await using terminals = new Terminals({
        clusters: { kubeFor: async () => kube },
        sessions: {} as SessionContainers,
        clock: systemClock,
      });
      const id = await terminals.open({ kind: 'pod', ...place }, size, signal);
      await expect.poll(() => terminals.list.value.items[id]).toMatchObject({ state: 'lost' });
      expect(terminals.list.value.items[id]?.error).toMatchObject({ code: 'cluster.failed' });
    },
  );

  it.each(['.', '..', ''])('is not opened in a pod or a namespace "%s"', (name) => {
    const open = api['terminals.open'].input;
    const target = { kind: 'pod', ...place };
    expect(open.safeParse({ target, size }).success).toBe(true);
    expect(open.safeParse({ target: { ...target, namespace: name }, size }).success).toBe(false);
    expect(open.safeParse({ target: { ...target, pod: name }, size }).success).toBe(false);
  });
});
