import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { Credit } from './credit.ts';
import { mirrorFrame, type Mirror } from './mirror.ts';
import { paramsKey } from './params-key.ts';
import { takeToken } from './token.ts';
import { decodeDown, encodeUp } from './websocket-port.ts';

describe('the copy of a state', () => {
  const start: Mirror = { value: undefined, index: undefined };
  const snapshot = (index: number, value: unknown) => ({ t: 'snapshot', id: 1, index, value }) as const;
  const patch = (index: number, change: unknown) => ({ t: 'patch', id: 1, index, patch: change }) as const;

  it.each([
    ['a patch before the first snapshot', start, patch(1, {})],
    ['a patch that skips one', { value: {}, index: 3 }, patch(5, {})],
    ['a patch that was there already', { value: {}, index: 3 }, patch(3, {})],
  ])('has a gap with %s', (_what, mirror, frame) => {
    expect(mirrorFrame(mirror, frame)).toEqual({ kind: 'gap' });
  });

  it('takes patches in order and any snapshot', () => {
    expect(mirrorFrame(start, snapshot(7, { a: 1 }))).toEqual({
      kind: 'next',
      mirror: { value: { a: 1 }, index: 7 },
    });
    expect(mirrorFrame({ value: { a: 1 }, index: 7 }, patch(8, { a: null, b: 2 }))).toEqual({
      kind: 'next',
      mirror: { value: { b: 2 }, index: 8 },
    });
  });

  it('keeps the objects that a snapshot says again', () => {
    const value = { items: { a: { n: 1 }, b: { n: 2 } } };
    const again = mirrorFrame({ value, index: undefined }, snapshot(1, structuredClone(value)));
    expect(again.kind === 'next' && again.mirror.value).toBe(value);
    const other = mirrorFrame(
      { value, index: undefined },
      snapshot(1, { items: { a: { n: 1 }, b: { n: 3 } } }),
    );
    expect((other.kind === 'next' ? (other.mirror.value as typeof value) : value).items.a).toBe(
      value.items.a,
    );
  });
});

describe('credit', () => {
  it('never lets main have more than the window gave, and never starves it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 300 }),
        (window, steps) => {
          const credit = new Credit(window);
          let mains = credit.initial;
          let unread = 0;
          for (const read of steps) {
            if (mains > 0) {
              mains -= 1;
              unread += 1;
              credit.received();
            }
            const taken = Math.min(read, unread);
            unread -= taken;
            mains += credit.give(taken) ?? 0;
            expect(mains + unread).toBeLessThanOrEqual(credit.initial);
            if (unread === 0) expect(mains).toBeGreaterThan(0);
          }
        },
      ),
    );
  });

  it('stays within the limit of the wire, whatever is given back', () => {
    const credit = new Credit(5000);
    expect(credit.initial).toBe(1024);
    for (let count = 0; count < 600; count += 1) credit.received();
    expect(credit.give(10_000)).toBe(600);
  });
});

test('equal params have one key, and others another one', () => {
  expect(paramsKey('a', { x: 1, y: { p: 1, q: 2 } })).toBe(paramsKey('a', { y: { q: 2, p: 1 }, x: 1 }));
  expect(paramsKey('a', { x: ['1', '2'] })).not.toBe(paramsKey('a', { x: ['2', '1'] }));
  expect(paramsKey('a', {})).not.toBe(paramsKey('b', {}));
});

describe('the token', () => {
  function page(hash: string, kept?: string) {
    const storage = new Map(kept === undefined ? [] : [['slipway.token', kept]]);
    const addresses: string[] = [];
    return {
      addresses,
      storage,
      location: { hash, pathname: '/', search: '' },
      history: { replaceState: (_data: unknown, _title: string, url: string) => addresses.push(url) },
      sessionStorage: {
        getItem: (key: string) => storage.get(key) ?? null,
        setItem: (key: string, value: string) => storage.set(key, value),
      },
    };
  }
  const take = (from: ReturnType<typeof page>) =>
    takeToken(from as unknown as Parameters<typeof takeToken>[0]);

  it('is taken out of the address and kept for reloads', () => {
    const opened = page('#token=abc_-1');
    expect(take(opened)).toBe('abc_-1');
    expect(opened.addresses).toEqual(['/']);
    expect(opened.storage.get('slipway.token')).toBe('abc_-1');
  });

  it('of the address wins over one of before', () => {
    expect(take(page('#token=new', 'old'))).toBe('new');
  });

  it.each(['', '#/settings', '#token=', '#token=a b', '#x&token=abc'])('is none in %j', (hash) => {
    const opened = page(hash);
    expect(take(opened)).toBeUndefined();
    expect(opened.addresses).toEqual([]);
    expect(take(page(hash, 'kept'))).toBe('kept');
  });
});

test('frames with bytes travel as bytes, all others as JSON', () => {
  const bytes = encodeUp({ t: 'data', id: 258, payload: new Uint8Array([7, 8]) });
  expect(bytes).toEqual(new Uint8Array([0, 0, 1, 2, 7, 8]));
  expect(encodeUp({ t: 'cancel', id: 1 })).toBe('{"t":"cancel","id":1}');
  expect(decodeDown(new Uint8Array([0, 0, 1, 2, 7, 8]).buffer)).toEqual({
    t: 'data',
    id: 258,
    payload: new Uint8Array([7, 8]),
  });
  const tooLong = { t: 'call', id: 1, name: 'x', input: 'é'.repeat(600_000) } as const;
  expect(() => encodeUp(tooLong)).toThrow('too much');
});
