import { describe, expect, it } from 'vitest';
import { createViewStore, dockRem, knownStart, rememberPlace, rememberStart } from './view-state.ts';

function storageOf(text: string | null) {
  const written: string[] = [];
  return {
    written,
    getItem: () => written.at(-1) ?? text,
    setItem: (_key: string, value: string) => {
      written.push(value);
    },
  };
}

describe('what the window remembers of its view', () => {
  it('comes back', () => {
    const storage = storageOf(null);
    createViewStore(storage).setState({ dockHeight: 20, dockOpen: true, overlay: 'commands' });
    expect(createViewStore(storage).getState()).toMatchObject({
      dockHeight: 20,
      dockOpen: true,
      overlay: 'none',
    });
  });

  it.each([['nonsense'], ['null'], ['[]'], ['{"dockHeight":"tall","side":7,"recentActions":[1]}']])(
    'is the usual when what was kept is %s',
    (text) => {
      expect(createViewStore(storageOf(text)).getState()).toMatchObject({
        dockHeight: dockRem.usual,
        side: 'shown',
        recentActions: [],
      });
    },
  );

  it('keeps the dock within its bounds', () => {
    expect(createViewStore(storageOf('{"dockHeight":9999}')).getState().dockHeight).toBe(dockRem.most);
  });

  it('goes on without a storage', () => {
    const closed = {
      getItem: () => {
        throw new Error('closed');
      },
      setItem: () => {
        throw new Error('closed');
      },
    };
    const store = createViewStore(closed);
    store.setState({ dockOpen: true });
    expect(store.getState().dockOpen).toBe(true);
  });

  it('knows the last start of a workload, and keeps it out of the storage', () => {
    const storage = storageOf(null);
    const store = createViewStore(storage);
    const workload = { cluster: 'a', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
    for (const folder of ['/one', '/two']) rememberStart(store, { ...workload, folder });
    for (let index = 0; index < 19; index++)
      rememberStart(store, { ...workload, name: `api-${index}`, folder: '/other' });
    expect(knownStart(store, workload)?.folder).toBe('/two');
    expect(knownStart(store, { ...workload, cluster: 'b' })).toBeUndefined();
    expect(storage.written.join()).not.toContain('/two');
    rememberStart(store, { ...workload, name: 'one-more', folder: '/other' });
    expect(knownStart(store, workload)).toBeUndefined();
  });

  it('knows the namespaces of each cluster', () => {
    const store = createViewStore(storageOf(null));
    rememberPlace(store, 'a', ['x']);
    rememberPlace(store, 'b', ['y', 'z']);
    expect(store.getState()).toMatchObject({ lastCluster: 'b', lastNamespaces: { a: ['x'], b: ['y', 'z'] } });
  });
});
