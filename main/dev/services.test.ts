import { describe, expect, it } from 'vitest';
import { Emitter } from '../base/event.ts';
import type { Held, SyncEvent } from '../sync/sync-event.ts';
import { openServices, type PairSync } from './services.ts';

describe('the services of a session', () => {
  it('hand an answer to the pair that asked, though another one holds work under the same id', async () => {
    const held: Held = {
      id: 'brake-1',
      kind: 'brake',
      reason: 'Many',
      paths: ['a'],
      choices: ['apply', 'leave'],
    };
    const answered: string[] = [];
    const emitters = new Map<string, Emitter<SyncEvent>>();
    const openSync = ({ local }: { readonly local: string }): Promise<PairSync> => {
      const emitter = new Emitter<SyncEvent>();
      emitters.set(local, emitter);
      return Promise.resolve({
        onEvent: emitter.event,
        inSync: () => Promise.resolve(),
        resolveHeld: (id, choice) => answered.push(`${local} ${id} ${choice}`) > 0,
        stop: () => Promise.resolve(),
      });
    };
    const never = (): never => {
      throw new Error('Not part of this test');
    };
    await using _services = await openServices({
      factories: { openSync, openForward: never },
      source: {
        current: never,
        onChange: new Emitter<undefined>().event,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      pairs: [
        { local: '/one', remote: '/r1' },
        { local: '/two', remote: '/r2' },
      ],
      ports: [],
      emit: () => undefined,
      onHeld: (_held, answer) => answer('apply'),
    });
    emitters.get('/two')?.fire({ kind: 'held', held });
    expect(answered).toEqual(['/two brake-1 apply']);
  });
});
