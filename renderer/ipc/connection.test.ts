import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import type { DownFrame, FramePort, UpFrame } from '../../contract/wire.ts';
import { keepConnected, reconnectDelayMs, Refused } from './connection.ts';
import { createClient } from './remote-client.ts';

type Port = FramePort<UpFrame, DownFrame>;

/** A port whose other end is the test. */
function makePort() {
  const sent: UpFrame[] = [];
  const onClose = new Set<() => void>();
  let receive: (frame: DownFrame) => void = () => undefined;
  const port: Port = {
    bufferedBytes: 0,
    send: (frame) => void sent.push(frame),
    onFrame: (listener) => (receive = listener),
    onClose: (listener) => void onClose.add(listener),
    close: () => {
      for (const listener of onClose) listener();
      onClose.clear();
    },
  };
  return { port, sent, receive: (frame: DownFrame) => receive(frame) };
}

test.each([
  [1, 0, 200],
  [1, 1, 200],
  [2, 0, 280],
  [2, 1, 400],
  [4, 1, 1600],
  [5, 0, 2100],
  [5, 1, 3000],
  [50, 1, 3000],
])('after %i failures (at random %d) it waits %i ms', (failures, random, delay) => {
  expect(reconnectDelayMs(failures, random)).toBeCloseTo(delay);
});

describe('a window', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
  const turn = () => vi.advanceTimersByTimeAsync(0);

  it('connects, and again when the connection is lost', async () => {
    const ports = [makePort(), makePort()];
    let dials = 0;
    const client = createClient();
    const states: string[] = [];
    using connection = keepConnected(
      client,
      async () => ports[dials++]!.port,
      () => 1,
    );
    connection.subscribe(() => states.push(connection.state));
    expect(connection.state).toBe('connecting');
    await turn();
    expect(states).toEqual(['open']);
    ports[0]!.port.close();
    expect(states).toEqual(['open', 'lost']);
    await vi.advanceTimersByTimeAsync(199);
    expect(dials).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(states).toEqual(['open', 'lost', 'open']);
    const answer = client.call('app.clearTasks', {});
    expect(ports[1]!.sent).toMatchObject([{ t: 'call', name: 'app.clearTasks' }]);
    ports[1]!.receive({ t: 'result', id: ports[1]!.sent[0]!.id, output: {} });
    expect(await answer).toEqual({});
  });

  it('tries less and less often, and often again after a connection that held', async () => {
    let dials = 0;
    let last: ReturnType<typeof makePort> | undefined;
    let up = false;
    using connection = keepConnected(
      createClient(),
      async () => {
        dials += 1;
        if (!up) throw new Error('Nobody there');
        last = makePort();
        return last.port;
      },
      () => 1,
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(connection.state).toBe('lost');
    expect(dials).toBe(7);
    up = true;
    connection.retry();
    await turn();
    expect(connection.state).toBe('open');
    await vi.advanceTimersByTimeAsync(5000);
    up = false;
    last?.port.close();
    const before = dials;
    await vi.advanceTimersByTimeAsync(200);
    expect(dials).toBe(before + 1);
  });

  it('does not knock on and on where it is refused', async () => {
    let dials = 0;
    let known = false;
    using connection = keepConnected(createClient(), async () => {
      dials += 1;
      if (!known) throw new Refused();
      return makePort().port;
    });
    await vi.advanceTimersByTimeAsync(20_000);
    expect([dials, connection.state, connection.refused]).toEqual([1, 'lost', true]);
    known = true;
    connection.retry();
    await turn();
    expect([connection.state, connection.refused]).toEqual(['open', false]);
  });

  it('holds what is asked before the first connection, and refuses it when there is none', async () => {
    const { port, sent } = makePort();
    const dialled = Promise.withResolvers<Port>();
    const client = createClient();
    using _connection = keepConnected(client, () => dialled.promise);
    client.call('app.clearTasks', {}).catch(() => undefined);
    const errors: string[] = [];
    const stream = client.open(
      'sessions.activity',
      { session: 'a' },
      {
        credit: 4,
        onMessage: () => undefined,
        onEnd: () => undefined,
        onError: ({ code }) => errors.push(code),
      },
    );
    client.watch('app.tasks', {}, () => undefined);
    dialled.resolve(port);
    await turn();
    expect(sent.map(({ t }) => t).sort()).toEqual(['call', 'open', 'watch']);
    stream.close();
    expect(sent.at(-1)?.t).toBe('close');

    const alone = createClient();
    const call = alone.call('app.clearTasks', {});
    alone.open(
      'sessions.activity',
      { session: 'a' },
      {
        credit: 4,
        onMessage: () => undefined,
        onEnd: () => undefined,
        onError: ({ code }) => errors.push(code),
      },
    );
    alone.detach();
    await expect(call).rejects.toMatchObject({ value: { code: 'app.gone' } });
    await expect(alone.call('app.clearTasks', {})).rejects.toMatchObject({ value: { code: 'app.gone' } });
    await turn();
    expect(errors).toEqual(['app.gone']);
  });

  it('stops when it is disposed', async () => {
    let dials = 0;
    const connection = keepConnected(createClient(), async () => {
      dials += 1;
      throw new Error('Nobody there');
    });
    await turn();
    connection[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(dials).toBe(1);
  });
});
