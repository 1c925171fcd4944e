import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../contract/session-events.ts';
import { Emitter } from '../base/event.ts';
import type { PodSource } from './pod-source.ts';
import { openServices, type PortHealth } from './services.ts';

const source: PodSource = {
  current: () => Promise.reject(new Error('No pod is asked for')),
  onChange: () => ({ [Symbol.dispose]: () => undefined }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

async function told(...healths: readonly PortHealth[]): Promise<readonly string[]> {
  const health = new Emitter<PortHealth>();
  const events: SessionEvent[] = [];
  await using _services = await openServices({
    factories: {
      openSync: () => Promise.reject(new Error('Nothing is synced here')),
      openForward: () =>
        Promise.resolve({
          bound: { local: 8080, remote: 80, addresses: [] },
          onHealth: health.event,
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }),
    },
    source,
    pairs: [],
    ports: [{ local: 8080, remote: 80 }],
    emit: (event) => events.push(event),
  });
  healths.forEach((value) => health.fire(value));
  return events.map((event) => (event.event === 'health' ? `${event.state} ${event.message}` : event.event));
}

describe('the health of a forwarded port', () => {
  it('is told once as long as it stays the same', async () => {
    const refused = { state: 'failed', message: 'refused' } as const;
    expect(await told(refused, refused, { state: 'failed', message: 'no pod' }, refused)).toEqual([
      'failed refused',
      'failed no pod',
      'failed refused',
    ]);
  });

  it('is reconnecting after it has been active', async () => {
    const active = { state: 'active', message: 'answers' } as const;
    expect(
      await told(
        { state: 'connecting', message: 'looking' },
        active,
        { state: 'connecting', message: 'looking' },
        { state: 'failed', message: 'no pod' },
        active,
      ),
    ).toEqual([
      'starting looking',
      'active answers',
      'reconnecting looking',
      'reconnecting no pod',
      'active answers',
    ]);
  });
});
