import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { method, state } from '../../contract/define.ts';
import type { DownFrame } from '../../contract/wire.ts';
import { systemClock } from '../base/clock.ts';
import { Store } from '../base/store.ts';
import { createDispatcher } from './dispatcher.ts';
import { statesWaitAboveBytes } from './state-feed.ts';
import { mostUnreadBytes } from './window-connection.ts';

const none = z.strictObject({});
const contract = { 'test.call': method<string>()(none), 'test.state': state<object>()(none) };

/** A window that reads as much as the test lets it. */
function slowWindow() {
  const sent: DownFrame[] = [];
  const store = new Store<object>({ a: 1 });
  let take: (frame: unknown) => void = () => undefined;
  let closed = false;
  const port = {
    bufferedBytes: 0,
    send: (frame: DownFrame) => void sent.push(frame),
    onFrame: (listener: (frame: unknown) => void) => void (take = listener),
    onClose: () => undefined,
    close: () => void (closed = true),
  };
  const handlers = { 'test.call': async () => 'answer', 'test.state': () => store };
  createDispatcher(handlers, {
    contract,
    clock: systemClock,
    onBug: (error) => {
      throw error;
    },
  }).connect(port);
  return { port, sent, ask: (frame: unknown) => take(frame), isClosed: () => closed };
}

describe('a window that does not read', () => {
  it('is closed before its answers fill the memory', async () => {
    const { port, sent, ask, isClosed } = slowWindow();
    port.bufferedBytes = mostUnreadBytes;
    ask({ t: 'call', id: 1, name: 'test.call', input: {} });
    await expect.poll(() => sent.length).toBe(1);
    expect(isClosed()).toBe(false);
    port.bufferedBytes += 1;
    ask({ t: 'call', id: 2, name: 'test.call', input: {} });
    await expect.poll(isClosed).toBe(true);
    ask({ t: 'call', id: 3, name: 'test.call', input: {} });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toHaveLength(2);
  });

  it('is not sent a state again and again', async () => {
    const { port, sent, ask } = slowWindow();
    port.bufferedBytes = statesWaitAboveBytes + 1;
    for (let id = 1; id <= 50; id += 1) {
      ask({ t: 'watch', id, name: 'test.state', params: {} });
      if (id < 50) ask({ t: 'unwatch', id });
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(sent).toEqual([]);
    port.bufferedBytes = 0;
    await expect.poll(() => sent).toEqual([{ t: 'snapshot', id: 50, index: 1, value: { a: 1 } }]);
  });
});
