import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { createTasks } from '../tasks/tasks.ts';
import { createAppHandlers } from './app-handlers.ts';
import type { Sandbox } from './sandbox.ts';

const context = { signal: new AbortController().signal };
const tasks = createTasks({ clock: systemClock, onBug: () => undefined });
afterEach(() => tasks.clear());

function handlersWith(parts: { bringUp?: Sandbox['bringUp']; version?: () => Promise<never> }) {
  const added: unknown[] = [];
  const handlers = createAppHandlers({
    abilities: { host: 'web', startFolder: '/' },
    homeFolder: '/home/anna',
    stateFolder: '/home/anna/.local/state/slipway',
    platform: 'linux',
    version: parts.version ?? (async () => ({ version: '1', helper: 'a' })),
    sandbox: {
      look: async () => ({ kind: 'available' }),
      bringUp: parts.bringUp ?? (async () => '/sandbox'),
    },
    tasks,
    settings: {
      revise: async (make) => void added.push(make({ kubeconfigFiles: [] } as never)),
    },
  });
  return { handlers, added };
}

describe('the app', () => {
  it('brings the sandbox up once, however many windows ask, and again when that has ended', async () => {
    let ups = 0;
    const up = Promise.withResolvers<string>();
    const bringUp = (): Promise<string> => {
      ups += 1;
      return up.promise;
    };
    const { handlers, added } = handlersWith({ bringUp });
    const ask = () => handlers['app.startSandbox']({}, context);
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(second).toEqual(first);
    up.resolve('/sandbox/kubeconfig');
    await expect.poll(() => added).toEqual([{ kubeconfigFiles: ['/sandbox/kubeconfig'] }]);
    expect(ups).toBe(1);
    await expect.poll(async () => (await ask()).task).not.toBe(first.task);
    handlers[Symbol.dispose]();
  });

  it('is shown also when its version cannot be read', async () => {
    const { handlers } = handlersWith({ version: () => Promise.reject(new Error('There is no helper')) });
    using info = handlers['app.info']({});
    await expect.poll(() => info.value.sandbox).toEqual({ kind: 'available' });
    expect(info.value.version).toBe('');
    handlers[Symbol.dispose]();
  });
});
