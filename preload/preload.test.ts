import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const electron = vi.hoisted(() => {
  const listeners = new Set<(event: unknown, frame: unknown) => void>();
  const sent: unknown[] = [];
  const exposed: Record<string, unknown> = {};
  return {
    listeners,
    sent,
    exposed,
    contextBridge: { exposeInMainWorld: (name: string, value: unknown) => (exposed[name] = value) },
    ipcRenderer: {
      send: (...args: unknown[]) => sent.push(args),
      on: (_channel: string, listener: (event: unknown, frame: unknown) => void) => listeners.add(listener),
      off: (_channel: string, listener: (event: unknown, frame: unknown) => void) =>
        listeners.delete(listener),
    },
  };
});
vi.mock('electron', () => electron);

interface Bridge {
  send(frame: unknown): unknown;
  onFrame(listener: (...args: unknown[]) => void): () => unknown;
  reset(): unknown;
}

const source = readFileSync(new URL('preload.ts', import.meta.url), 'utf8');

test('the page gets one bridge of three functions, and nothing of Electron with it', async () => {
  await import('./preload.ts');
  expect(Object.keys(electron.exposed)).toEqual(['slipway']);
  const bridge = electron.exposed['slipway'] as Bridge;
  expect(Object.keys(bridge)).toEqual(['send', 'onFrame', 'reset']);
  expect([bridge.send({ t: 'cancel', id: 1 }), bridge.reset()]).toEqual([undefined, undefined]);
  expect(electron.sent).toEqual([
    ['slipway', { frame: { t: 'cancel', id: 1 } }],
    ['slipway', { reset: true }],
  ]);

  const heard: unknown[][] = [];
  const stop = bridge.onFrame((...args) => heard.push(args));
  for (const listener of electron.listeners) listener({ sender: 'secret' }, { t: 'end', id: 1 });
  expect(heard).toEqual([[{ t: 'end', id: 1 }]]);
  expect(stop()).toBeUndefined();
  expect(electron.listeners.size).toBe(0);
});

test('the preload script is short and loads electron alone', () => {
  expect(source.split('\n').length).toBeLessThan(80);
  expect([...source.matchAll(/\bfrom '([^']+)'|\b(?:require|import)\(/g)].map((match) => match[1])).toEqual([
    'electron',
  ]);
});
