import { describe, expect, it } from 'vitest';
import { DisposableStore } from './dispose.ts';

describe('a disposable store', () => {
  it('ends its items in reverse order and waits for each', async () => {
    const order: string[] = [];
    const store = new DisposableStore();
    store.defer(() => void order.push('first'));
    store.defer(async () => {
      await Promise.resolve();
      order.push('second');
    });
    await store[Symbol.asyncDispose]();
    expect(order).toEqual(['second', 'first']);
  });

  it('ends what is added after its own end at once', async () => {
    const store = new DisposableStore();
    await store[Symbol.asyncDispose]();
    let ended = false;
    store.add({ [Symbol.dispose]: () => void (ended = true) });
    expect(ended).toBe(true);
  });

  it('ends the others when one fails, then reports it', async () => {
    const store = new DisposableStore();
    let ended = false;
    store.defer(() => void (ended = true));
    store.defer(() => {
      throw new Error('stuck');
    });
    await expect(store[Symbol.asyncDispose]()).rejects.toThrow(AggregateError);
    expect(ended).toBe(true);
  });
});
