import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { api } from '../../contract/api.ts';
import type { AnyContract } from '../../contract/define.ts';
import { wireLimits, type DownFrame, type FramePort } from '../../contract/wire.ts';
import { systemClock } from '../base/clock.ts';
import { createDispatcher } from './dispatcher.ts';
import { fitsIn } from './frame-size.ts';
import type { StreamPeer } from './handlers.ts';

/** A main that only writes down what reaches a handler, and a window that may send it anything. */
function makeRecorder() {
  const called: string[] = [];
  const got: unknown[] = [];
  const handlers = Object.fromEntries(
    Object.entries(api as Readonly<Record<string, AnyContract>>).map(([name, { kind }]) => [
      name,
      (_first: unknown, peer: StreamPeer<unknown, unknown>) => {
        called.push(name);
        if (kind === 'state')
          return {
            value: {},
            onChange: () => ({ [Symbol.dispose]: () => undefined }),
            [Symbol.dispose]: () => undefined,
          };
        if (kind === 'stream') {
          peer.onMessage((message) => got.push(message));
          return new Promise(() => undefined);
        }
        return Promise.resolve({});
      },
    ]),
  );
  const bugs: unknown[] = [];
  const sent: DownFrame[] = [];
  let receive: (frame: unknown) => void = () => undefined;
  const port: FramePort<DownFrame, unknown> = {
    bufferedBytes: 0,
    send: (frame) => sent.push(frame),
    onFrame: (listener) => (receive = listener),
    onClose: () => undefined,
    close: () => undefined,
  };
  createDispatcher(handlers, { clock: systemClock, onBug: (error) => bugs.push(error) }).connect(port);
  return { called, got, bugs, sent, receive: (frame: unknown) => receive(frame) };
}

/** Nothing of this is valid but by chance, except for the empty object, which some names take. */
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withSparseArray: true,
  withNullPrototype: true,
  key: fc.oneof(fc.string(), fc.constantFrom('t', 'id', 'name', 'input', '__proto__', 'constructor')),
});
const hostile = anything.filter(
  (value) => typeof value !== 'object' || value === null || Object.keys(value).length > 0,
);
/** Frames that are nearly right, so that garbage gets as far as it can. */
const nearly = fc.record(
  {
    t: fc.constantFrom<unknown>(
      'call',
      'cancel',
      'watch',
      'resync',
      'unwatch',
      'open',
      'data',
      'credit',
      'close',
    ),
    id: fc.oneof(fc.integer({ min: -1, max: 6 }), hostile),
    name: fc.oneof(
      fc.constantFrom(...Object.keys(api)),
      fc.constantFrom('__proto__', 'constructor'),
      hostile,
    ),
    input: hostile,
    params: hostile,
    credit: fc.oneof(fc.integer({ min: 1, max: 4 }), hostile),
    amount: fc.oneof(fc.integer({ min: 1, max: 2000 }), hostile),
    payload: hostile,
  },
  { requiredKeys: ['t'] },
);

describe('garbage from a window', () => {
  it('crashes nothing and reaches no handler, however near to a frame it is', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(hostile, nearly), { maxLength: 30 }), (frames) => {
        const main = makeRecorder();
        for (const frame of frames) main.receive(frame);
        expect([main.called, main.got, main.bugs]).toEqual([[], [], []]);
        for (const frame of main.sent)
          expect(frame).toMatchObject({
            t: 'error',
            error: { code: expect.stringMatching(/^contract\./) as unknown },
          });
        // And it answers still.
        main.receive({ t: 'call', id: 4_000_000, name: 'app.clearTasks', input: {} });
        expect(main.called).toEqual(['app.clearTasks']);
      }),
      { numRuns: 500 },
    );
  });

  it.each(Object.entries(api as Readonly<Record<string, AnyContract>>))(
    'as the input of %s is refused',
    (name, contract) => {
      const schema = contract.kind === 'method' ? contract.input : contract.params;
      const own = { method: 'call', state: 'watch', stream: 'open' }[contract.kind];
      fc.assert(
        fc.property(
          hostile.filter((value) => !schema.safeParse(value).success),
          (value) => {
            const main = makeRecorder();
            const frame =
              own === 'call'
                ? { t: own, id: 1, name, input: value }
                : { t: own, id: 1, name, params: value, ...(own === 'open' ? { credit: 1 } : {}) };
            main.receive(frame);
            expect(main.called).toEqual([]);
            expect(main.sent).toMatchObject([{ t: 'error', id: 1 }]);
          },
        ),
        { numRuns: 150 },
      );
    },
  );

  it('as a message of a stream ends it, and is heard by nobody', () => {
    const [name, contract] = Object.entries(api).flatMap(([key, each]) =>
      key === 'terminals.attach' && each.kind === 'stream' ? [[key, each] as const] : [],
    )[0]!;
    fc.assert(
      fc.property(
        hostile.filter((value) => !contract.up.safeParse(value).success),
        (payload) => {
          const main = makeRecorder();
          main.receive({ t: 'open', id: 1, name, params: { terminal: 'abc' }, credit: 1 });
          expect(main.called).toEqual([name]);
          main.receive({ t: 'data', id: 1, payload });
          expect(main.got).toEqual([]);
          expect(main.sent).toMatchObject([{ t: 'error', id: 1 }]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the size of a frame', () => {
  const json = fc.jsonValue({ maxDepth: 6 });

  it('is about that of its JSON', () => {
    fc.assert(
      fc.property(json, (value) => {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        expect(fitsIn(value, bytes * 4 + 16)).toBe(true);
        // Escapes and digits make JSON longer than what it says.
        expect(fitsIn(value, Math.floor(bytes / 8) - 64)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('counts what does not travel as JSON, and ends in itself', () => {
    const endless: Record<string, unknown> = {};
    endless['self'] = endless;
    expect(fitsIn(endless, wireLimits.messageBytes)).toBe(false);
    expect(fitsIn({ payload: new Uint8Array(2000) }, 1000)).toBe(false);
    expect(fitsIn({ payload: new Uint8Array(500) }, 1000)).toBe(true);
    expect(fitsIn(new Array(5_000_000), 1000)).toBe(false);
    expect(fitsIn('é'.repeat(600), 1000)).toBe(false);
    expect(fitsIn({ ['k'.repeat(2000)]: 1 }, 1000)).toBe(false);
  });
});
