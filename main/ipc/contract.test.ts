import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { method, state, stream } from '../../contract/define.ts';
import type { ErrorValue } from '../../contract/errors.ts';
import { wireLimits, type DownFrame, type FramePort, type UpFrame } from '../../contract/wire.ts';
import { createClient, type AttachableClient } from '../../renderer/ipc/remote-client.ts';
import { RemoteError } from '../../renderer/ipc/remote-error.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { systemClock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import { createDispatcher } from './dispatcher.ts';
import type { CallContext, StreamPeer } from './handlers.ts';
import { transports, type OpenTransport, type Transport } from '../../tests/support/window-transports.ts';

const none = z.strictObject({});
const contract = {
  'test.double': method<number>()(z.strictObject({ number: z.number() })),
  'test.refuse': method<never>()(none),
  'test.bug': method<never>()(none),
  'test.wait': method<never>()(none),
  'test.echo': method<unknown>()(z.strictObject({ value: z.unknown() })),
  'test.names': state<Readonly<Record<string, unknown>>>()(z.strictObject({ of: z.string().max(16) })),
  'test.count': stream<number>()(z.strictObject({ to: z.number().int() }), z.never()),
  'test.bytes': stream<Uint8Array>()(none, z.instanceof(Uint8Array)),
} as const;

type Peer = StreamPeer<unknown, unknown>;

/** What is behind the windows, and what became of it. */
function makeMain() {
  const names = new Store<Readonly<Record<string, unknown>>>({ items: { a: { n: 1 }, b: { n: 2 } } });
  const log: string[] = [];
  const bugs: unknown[] = [];
  const sent = { count: 0 };
  const handlers = {
    'test.double': async ({ number }: { number: number }) => number * 2,
    'test.refuse': async () => {
      throw new SlipwayError({ code: 'cluster.gone', message: 'M.', cause: 'C.', next: 'N.' });
    },
    'test.bug': async () => {
      throw new TypeError('inner secret');
    },
    'test.wait': (_input: unknown, { signal }: CallContext) =>
      new Promise((_resolve, reject) => {
        log.push('waiting');
        signal.addEventListener('abort', () => {
          log.push('cancelled');
          reject(signal.reason as Error);
        });
      }),
    'test.echo': async ({ value }: { value: unknown }) => value,
    'test.names': ({ of }: { of: string }) => {
      if (of === 'nobody')
        throw new SlipwayError({ code: 'cluster.unknown', message: 'M.', cause: 'C.', next: 'N.' });
      if (of === 'bug') throw new Error('inner secret');
      return {
        get value() {
          return names.value;
        },
        onChange: names.onChange,
        [Symbol.dispose]: () => void log.push('unwatched'),
      };
    },
    'test.count': async ({ to }: { to: number }, peer: Peer) => {
      try {
        for (let number = 1; number <= to; number += 1) {
          await peer.send(number);
          sent.count = number;
        }
        if (to === 13)
          throw new SlipwayError({ code: 'stream.lost', message: 'M.', cause: 'C.', next: 'N.' });
        if (to === 14) throw new Error('inner secret');
      } finally {
        log.push(peer.signal.aborted ? 'aborted' : 'counted');
      }
    },
    'test.bytes': (_params: unknown, peer: Peer) =>
      new Promise<void>((resolve) => {
        peer.signal.addEventListener('abort', () => resolve());
        peer.onMessage((message) => {
          const bytes = message as Uint8Array;
          if (bytes.length === 0) resolve();
          // A part of a larger piece of memory, as sockets give it.
          else void peer.send(Buffer.from(bytes).map((byte) => 255 - byte));
        });
      }),
  };
  const dispatcher = createDispatcher(handlers, {
    contract,
    clock: systemClock,
    onBug: (error) => bugs.push(error),
  });
  return { names, log, bugs, sent, dispatcher };
}

/** The client without the types of the product's own contract. */
interface AnyClient {
  call(name: string, input: unknown, options?: { signal: AbortSignal }): Promise<unknown>;
  watch(
    name: string,
    params: unknown,
    listener: (state: { value: unknown; error: ErrorValue | undefined }) => void,
  ): Disposable;
  open(
    name: string,
    params: unknown,
    listener: {
      credit: number;
      onMessage: (message: unknown) => void;
      onEnd: () => void;
      onError: (error: ErrorValue) => void;
    },
  ): { send(message: unknown): void; grant(amount: number): void; close(): void };
}

const parse = (text: string) => JSON.parse(text) as Readonly<Record<string, unknown>>;
const codeOf = (error: unknown): string => (error instanceof RemoteError ? error.value.code : String(error));
const failure = (promise: Promise<unknown>): Promise<ErrorValue> =>
  promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (error: unknown) => (error as RemoteError).value,
  );

describe.each(Object.entries(transports))('%s', (_name, open: OpenTransport) => {
  let main: ReturnType<typeof makeMain>;
  let transport: Transport;
  let port: FramePort<UpFrame, DownFrame>;
  let attachable: AttachableClient;
  let client: AnyClient;
  /** Frames that the window does not get to see. */
  let lose: (frame: DownFrame) => boolean;
  let frames: DownFrame[];
  let clientBugs: unknown[];

  async function connect(): Promise<void> {
    const dialled = await transport.dial();
    port = dialled;
    attachable.attach({
      get bufferedBytes() {
        return dialled.bufferedBytes;
      },
      send: (frame) => dialled.send(frame),
      onClose: (listener) => dialled.onClose(listener),
      close: () => dialled.close(),
      onFrame: (listener) =>
        dialled.onFrame((frame) => {
          frames.push(frame);
          if (!lose(frame)) listener(frame);
        }),
    });
  }
  const rawSend = (frame: unknown): void => port.send(frame as UpFrame);

  beforeEach(async () => {
    lose = () => false;
    frames = [];
    clientBugs = [];
    main = makeMain();
    transport = await open(main.dispatcher);
    attachable = createClient({ lingerMs: 0, onBug: (error) => clientBugs.push(error) });
    client = attachable;
    await connect();
  });
  afterEach(async () => {
    await transport[Symbol.asyncDispose]();
  });

  describe('calls', () => {
    it('are answered', async () => {
      const answers = [1, 2, 3].map((number) => client.call('test.double', { number }));
      expect(await Promise.all(answers)).toEqual([2, 4, 6]);
    });

    it('carry values as they are, also keys that mean something to JavaScript', async () => {
      const value: unknown = JSON.parse(
        '{"__proto__":{"x":1},"constructor":[null,"é\\u0000",1e300],"deep":{"a":{}}}',
      );
      const answer = await client.call('test.echo', { value });
      expect(JSON.stringify(answer)).toBe(JSON.stringify(value));
      expect(Object.hasOwn(answer as object, '__proto__')).toBe(true);
    });

    it('fail with what main says', async () => {
      expect(await failure(client.call('test.refuse', {}))).toEqual({
        code: 'cluster.gone',
        message: 'M.',
        cause: 'C.',
        next: 'N.',
      });
      expect(main.bugs).toEqual([]);
    });

    it('tell nothing of a bug, which is reported and harms nobody else', async () => {
      const error = await failure(client.call('test.bug', {}));
      expect(error.code).toBe('app.bug');
      expect(JSON.stringify(error)).not.toContain('secret');
      expect(main.bugs).toEqual([new TypeError('inner secret')]);
      expect(await client.call('test.double', { number: 4 })).toBe(8);
    });

    it('are cancelled in main when the window does', async () => {
      const controller = new AbortController();
      const call = client.call('test.wait', {}, { signal: controller.signal });
      await eventually(() => expect(main.log).toEqual(['waiting']));
      controller.abort();
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
      await eventually(() => expect(main.log).toEqual(['waiting', 'cancelled']));
      expect(frames).toEqual([]);
      expect(main.bugs).toEqual([]);
    });

    it('that were cancelled before are not made', async () => {
      await expect(client.call('test.wait', {}, { signal: AbortSignal.abort() })).rejects.toBeDefined();
      expect(await client.call('test.double', { number: 1 })).toBe(2);
      expect(main.log).toEqual([]);
    });

    it('beyond the limit are refused, and later ones are not', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const waiting = Array.from({ length: wireLimits.calls }, () =>
        client.call('test.wait', {}, { signal }),
      );
      for (const call of waiting) call.catch(() => undefined);
      expect(codeOf(await client.call('test.double', { number: 1 }).catch((error: unknown) => error))).toBe(
        'contract.too-much',
      );
      controller.abort();
      await eventually(async () => expect(await client.call('test.double', { number: 1 })).toBe(2));
    });
  });

  describe('states', () => {
    const watch = (of = 'all') => {
      const seen: { value: unknown; error: ErrorValue | undefined }[] = [];
      const watching = client.watch('test.names', { of }, (next) => seen.push(next));
      return { seen, watching, latest: () => seen.at(-1)?.value };
    };

    it('come as a snapshot, then as patches of what changed', async () => {
      const { latest } = watch();
      await eventually(() => expect(latest()).toEqual({ items: { a: { n: 1 }, b: { n: 2 } } }));
      const before = latest() as { items: { b: unknown } };
      main.names.set({ items: { ...(main.names.value['items'] as object), a: { n: 5 } } });
      await eventually(() => expect(latest()).toEqual({ items: { a: { n: 5 }, b: { n: 2 } } }));
      expect((latest() as typeof before).items.b).toBe(before.items.b);
      expect(frames.map(({ t }) => t)).toEqual(['snapshot', 'patch']);
      expect(frames[1]).toMatchObject({ patch: { items: { a: { n: 5 } } } });
    });

    it('that change often are told seldom, and the last value arrives', async () => {
      const { latest } = watch();
      await eventually(() => expect(latest()).toBeDefined());
      const until = performance.now() + 400;
      let n = 0;
      while (performance.now() < until) {
        main.names.set({ n: (n += 1) });
        await new Promise((resolve) => setImmediate(resolve));
      }
      await eventually(() => expect(latest()).toEqual({ n }));
      expect(n).toBeGreaterThan(50);
      expect(frames.length).toBeLessThan(14);
    });

    it('with keys that mean something to JavaScript stay themselves', async () => {
      const { latest } = watch();
      main.names.set(parse('{"items":{"__proto__":{"polluted":1},"constructor":{"a":1}}}'));
      await eventually(() =>
        expect(JSON.stringify(latest())).toBe('{"items":{"__proto__":{"polluted":1},"constructor":{"a":1}}}'),
      );
      main.names.set(parse('{"items":{"__proto__":{"polluted":2}}}'));
      await eventually(() => expect(JSON.stringify(latest())).toBe('{"items":{"__proto__":{"polluted":2}}}'));
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });

    it('are sent whole when a patch was missed', async () => {
      const { latest } = watch();
      await eventually(() => expect(latest()).toBeDefined());
      let lost = 0;
      lose = (frame) => frame.t === 'patch' && lost++ === 0;
      main.names.set({ a: 1 });
      await eventually(() => expect(lost).toBe(1));
      main.names.set({ a: 1, b: 2 });
      await eventually(() => expect(latest()).toEqual({ a: 1, b: 2 }));
      expect(frames.map(({ t }) => t)).toEqual(['snapshot', 'patch', 'patch', 'snapshot']);
      main.names.set({ a: 1 });
      await eventually(() => expect(latest()).toEqual({ a: 1 }));
    });

    it('are shared by those who watch the same, and let go by the last', async () => {
      const first = watch();
      const second = watch();
      await eventually(() => expect(second.latest()).toBeDefined());
      expect(frames).toHaveLength(1);
      first.watching[Symbol.dispose]();
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(main.log).toEqual([]);
      second.watching[Symbol.dispose]();
      await eventually(() => expect(main.log).toEqual(['unwatched']));
    });

    it('that there are not are told as such', async () => {
      const { seen } = watch('nobody');
      await eventually(() => expect(seen.at(-1)?.error?.code).toBe('cluster.unknown'));
      const bug = watch('bug');
      await eventually(() => expect(bug.seen.at(-1)?.error?.code).toBe('app.bug'));
      expect(main.bugs).toHaveLength(1);
    });

    it('keep their value over a lost connection and come back', async () => {
      const { seen, latest } = watch();
      await eventually(() => expect(latest()).toBeDefined());
      const before = latest() as { items: unknown };
      const told = seen.length;
      port.close();
      await eventually(() => expect(main.log).toEqual(['unwatched']));
      expect(latest()).toBe(before);
      main.names.set({ ...main.names.value, more: 1 });
      await connect();
      await eventually(() => expect(latest()).toEqual({ ...before, more: 1 }));
      expect((latest() as typeof before).items).toBe(before.items);
      expect(seen).toHaveLength(told + 1);
    });

    it('beyond the limit are refused', async () => {
      for (let index = 0; index < wireLimits.states; index += 1) watch(`${index}`);
      const { seen } = watch('one more');
      await eventually(() => expect(seen.at(-1)?.error?.code).toBe('contract.too-much'));
    });
  });

  describe('streams', () => {
    const openStream = (name: string, params: unknown, credit: number) => {
      const got: unknown[] = [];
      const ends: string[] = [];
      const handle = client.open(name, params, {
        credit,
        onMessage: (message) => got.push(message),
        onEnd: () => ends.push('end'),
        onError: ({ code }) => ends.push(code),
      });
      return { got, ends, handle };
    };

    it('send no more than there is credit for, and the sender waits', async () => {
      const { got, ends, handle } = openStream('test.count', { to: 10 }, 3);
      await eventually(() => expect(got).toEqual([1, 2, 3]));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect([got.length, main.sent.count, main.log]).toEqual([3, 3, []]);
      handle.grant(3);
      await eventually(() => expect(got).toHaveLength(6));
      handle.grant(3);
      await eventually(() => expect(got).toHaveLength(9));
      handle.grant(3);
      await eventually(() => expect(ends).toEqual(['end']));
      expect(got).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(main.log).toEqual(['counted']);
    });

    it('go on while messages are dealt with one by one', async () => {
      const got: unknown[] = [];
      const ended = Promise.withResolvers<void>();
      const handle = client.open(
        'test.count',
        { to: 5000 },
        {
          credit: 8,
          onMessage(message) {
            got.push(message);
            handle.grant(1);
          },
          onEnd: () => ended.resolve(),
          onError: ({ message }) => ended.reject(new Error(message)),
        },
      );
      await ended.promise;
      expect(got).toHaveLength(5000);
      expect(got.at(-1)).toBe(5000);
    });

    it('carry bytes both ways, and nothing beside them', async () => {
      const { got, ends, handle } = openStream('test.bytes', {}, 8);
      handle.send(new Uint8Array([1, 2, 250]));
      handle.send(new Uint8Array(200_000).fill(7));
      await eventually(() => expect(got).toHaveLength(2));
      const [first, second] = got as Uint8Array[];
      expect([...(first ?? [])]).toEqual([254, 253, 5]);
      expect(first?.buffer.byteLength).toBeLessThan(1024);
      expect(second?.every((byte) => byte === 248)).toBe(true);
      expect(second).toHaveLength(200_000);
      handle.send(new Uint8Array());
      await eventually(() => expect(ends).toEqual(['end']));
    });

    it('end with what went wrong', async () => {
      const lost = openStream('test.count', { to: 13 }, 100);
      await eventually(() => expect(lost.ends).toEqual(['stream.lost']));
      expect(lost.got).toHaveLength(13);
      const bug = openStream('test.count', { to: 14 }, 100);
      await eventually(() => expect(bug.ends).toEqual(['app.bug']));
      expect(main.bugs).toHaveLength(1);
    });

    it('are aborted when the window closes them', async () => {
      const { ends, handle } = openStream('test.count', { to: 10 }, 1);
      await eventually(() => expect(main.sent.count).toBe(1));
      handle.close();
      await eventually(() => expect(main.log).toEqual(['aborted']));
      expect([ends, main.bugs]).toEqual([[], []]);
    });

    it('end when the connection does, and are not opened again', async () => {
      const { ends } = openStream('test.count', { to: 10 }, 1);
      await eventually(() => expect(main.sent.count).toBe(1));
      port.close();
      await eventually(() => expect(main.log).toEqual(['aborted']));
      await eventually(() => expect(ends).toEqual(['app.gone']));
      await connect();
      expect(await client.call('test.double', { number: 1 })).toBe(2);
      expect(main.log).toEqual(['aborted']);
    });

    it('are refused beyond the limit', async () => {
      for (let index = 0; index < wireLimits.streams; index += 1) openStream('test.bytes', {}, 1);
      const { ends } = openStream('test.bytes', {}, 1);
      await eventually(() => expect(ends).toEqual(['contract.too-much']));
    });

    it('may not be granted more than the limit', async () => {
      const { ends } = openStream('test.bytes', {}, wireLimits.credit);
      rawSend({ t: 'credit', id: 1, amount: 1 });
      await eventually(() => expect(ends).toEqual(['contract.too-much']));
    });

    it('take only messages of their contract', async () => {
      const { ends, handle } = openStream('test.bytes', {}, 1);
      handle.send({ text: 'no bytes' });
      await eventually(() => expect(ends).toEqual(['contract.invalid']));
      const counting = openStream('test.count', { to: 10 }, 1);
      counting.handle.send(new Uint8Array([1]));
      await eventually(() => expect(counting.ends).toEqual(['contract.invalid']));
      await eventually(() => expect(main.log).toEqual(['aborted']));
    });
  });

  describe('a window that goes away', () => {
    it('leaves nothing behind in main', async () => {
      const call = client.call('test.wait', {});
      client.watch('test.names', { of: 'all' }, () => undefined);
      client.open(
        'test.count',
        { to: 10 },
        {
          credit: 1,
          onMessage: () => undefined,
          onEnd: () => undefined,
          onError: () => undefined,
        },
      );
      await eventually(() => expect(main.sent.count).toBe(1));
      port.close();
      expect(codeOf(await call.catch((error: unknown) => error))).toBe('app.gone');
      await eventually(() =>
        expect([...main.log].sort()).toEqual(['aborted', 'cancelled', 'unwatched', 'waiting']),
      );
      main.names.set({ a: 1 });
      expect(main.bugs).toEqual([]);
    });

    it('gets no late answers, and the next one works', async () => {
      port.close();
      expect(codeOf(await client.call('test.double', { number: 1 }).catch((error: unknown) => error))).toBe(
        'app.gone',
      );
      await connect();
      expect(await client.call('test.double', { number: 1 })).toBe(2);
    });
  });

  describe('what is wrong is refused and calls no handler:', () => {
    const refusal = async (frame: unknown) => {
      rawSend(frame);
      await eventually(() => expect(frames.at(-1)?.t).toBe('error'));
      const last = frames.at(-1) as Extract<DownFrame, { t: 'error' }>;
      expect(main.log).toEqual([]);
      return { id: last.id, code: last.error.code, cause: last.error.cause };
    };
    it.each([
      [
        'a field of the input',
        { t: 'call', id: 7, name: 'test.double', input: { number: 'x' } },
        7,
        'input.number',
      ],
      ['a field too many', { t: 'call', id: 7, name: 'test.double', input: { number: 1, x: 2 } }, 7, 'input'],
      ['no input', { t: 'call', id: 7, name: 'test.double' }, 7, 'input'],
      ['a name that there is not', { t: 'call', id: 7, name: 'test.nothing', input: {} }, 7, 'test.nothing'],
      ['a state called', { t: 'call', id: 7, name: 'test.names', input: {} }, 7, 'test.names'],
      ['a method watched', { t: 'watch', id: 7, name: 'test.double', params: {} }, 7, 'test.double'],
      ['a name of every object', { t: 'call', id: 7, name: 'constructor', input: {} }, 7, 'constructor'],
      ['the prototype', { t: 'call', id: 7, name: '__proto__', input: {} }, 7, '__proto__'],
      ['a method of objects', { t: 'call', id: 7, name: 'toString', input: {} }, 7, 'toString'],
      ['params', { t: 'watch', id: 7, name: 'test.names', params: { of: 1 } }, 7, 'params.of'],
      ['no credit', { t: 'open', id: 7, name: 'test.count', params: { to: 1 }, credit: 0 }, 7, 'credit'],
      [
        'too much credit',
        { t: 'open', id: 7, name: 'test.count', params: { to: 1 }, credit: 1025 },
        7,
        'credit',
      ],
      ['a kind that there is not', { t: 'shout', id: 7 }, 7, 't'],
      ['a field that frames do not have', { t: 'cancel', id: 7, more: 1 }, 7, 'more'],
      ['no id', { t: 'call', name: 'test.double', input: {} }, 0, 'id'],
      ['an id that is none', { t: 'cancel', id: 1.5 }, 0, 'id'],
      ['an id that is too large', { t: 'cancel', id: 2 ** 32 }, 0, 'id'],
      ['a list', [1, 2], 0, ''],
      ['a text', 'hello', 0, ''],
      ['a number', 7, 0, ''],
    ])('%s', async (_what, frame, id, named) => {
      const refused = await refusal(frame);
      expect(refused).toMatchObject({ id, code: 'contract.invalid' });
      expect(refused.cause).toContain(named);
      expect(await client.call('test.double', { number: 1 })).toBe(2);
    });

    it('an id that is in use ends both', async () => {
      rawSend({ t: 'watch', id: 77, name: 'test.names', params: { of: 'all' } });
      await eventually(() => expect(frames).toHaveLength(1));
      rawSend({ t: 'call', id: 77, name: 'test.double', input: { number: 1 } });
      await eventually(() => expect(frames.at(-1)).toMatchObject({ t: 'error', id: 77 }));
      expect(main.log).toEqual(['unwatched']);
      expect(frames).toHaveLength(2);
    });

    it('frames of what has ended are no fault', async () => {
      for (const frame of [
        { t: 'cancel', id: 9 },
        { t: 'unwatch', id: 9 },
        { t: 'close', id: 9 },
        { t: 'resync', id: 9 },
        { t: 'credit', id: 9, amount: 1 },
        { t: 'data', id: 9, payload: 1 },
      ])
        rawSend(frame);
      expect(await client.call('test.double', { number: 1 })).toBe(2);
      expect(frames).toHaveLength(1);
    });

    it('a message that is too long', async () => {
      const value = 'x'.repeat(wireLimits.messageBytes);
      expect((await failure(client.call('test.echo', { value }))).code).toBe('contract.too-much');
      const almost = 'x'.repeat(wireLimits.messageBytes - 200);
      expect(await client.call('test.echo', { value: almost })).toBe(almost);
    });

    it('nesting without end', async () => {
      let value: unknown = 1;
      for (let depth = 0; depth < 200; depth += 1) value = [value];
      expect((await failure(client.call('test.echo', { value }))).code).toBe('contract.too-much');
    });
  });
});
