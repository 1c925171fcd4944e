import { describe, expect, it } from 'vitest';
import { wireLimits, type DownFrame } from '../../contract/wire.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { transports } from '../../tests/support/window-transports.ts';
import { codeOf, eachOnStage, failure } from './contract.fixture.ts';

describe.each(Object.entries(transports))('%s', (_name, open) => {
  const stage = eachOnStage(open);

  describe('a window that goes away', () => {
    it('leaves nothing behind in main', async () => {
      const call = stage.current.client.call('test.wait', {});
      stage.current.client.watch('test.names', { of: 'all' }, () => undefined);
      stage.current.client.open(
        'test.count',
        { to: 10 },
        {
          credit: 1,
          onMessage: () => undefined,
          onEnd: () => undefined,
          onError: () => undefined,
        },
      );
      await eventually(() => expect(stage.current.main.sent.count).toBe(1));
      stage.current.port.close();
      expect(codeOf(await call.catch((error: unknown) => error))).toBe('app.gone');
      await eventually(() =>
        expect([...stage.current.main.log].sort()).toEqual(['aborted', 'cancelled', 'unwatched', 'waiting']),
      );
      stage.current.main.names.set({ a: 1 });
      expect(stage.current.main.bugs).toEqual([]);
    });

    it('gets no late answers, and the next one works', async () => {
      stage.current.port.close();
      expect(
        codeOf(
          await stage.current.client.call('test.double', { number: 1 }).catch((error: unknown) => error),
        ),
      ).toBe('app.gone');
      await stage.current.connect();
      expect(await stage.current.client.call('test.double', { number: 1 })).toBe(2);
    });
  });

  describe('what is wrong is refused and calls no handler:', () => {
    const refusal = async (frame: unknown) => {
      stage.current.rawSend(frame);
      await eventually(() => expect(stage.current.frames.at(-1)?.t).toBe('error'));
      const last = stage.current.frames.at(-1) as Extract<DownFrame, { t: 'error' }>;
      expect(stage.current.main.log).toEqual([]);
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
      ['a field that stage.current.frames do not have', { t: 'cancel', id: 7, more: 1 }, 7, 'more'],
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
      expect(await stage.current.client.call('test.double', { number: 1 })).toBe(2);
    });

    it('an id that is in use ends both', async () => {
      stage.current.rawSend({ t: 'watch', id: 77, name: 'test.names', params: { of: 'all' } });
      await eventually(() => expect(stage.current.frames).toHaveLength(1));
      stage.current.rawSend({ t: 'call', id: 77, name: 'test.double', input: { number: 1 } });
      await eventually(() => expect(stage.current.frames.at(-1)).toMatchObject({ t: 'error', id: 77 }));
      expect(stage.current.main.log).toEqual(['unwatched']);
      expect(stage.current.frames).toHaveLength(2);
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
        stage.current.rawSend(frame);
      expect(await stage.current.client.call('test.double', { number: 1 })).toBe(2);
      expect(stage.current.frames).toHaveLength(1);
    });

    it('a message that is too long', async () => {
      const value = 'x'.repeat(wireLimits.messageBytes);
      expect((await failure(stage.current.client.call('test.echo', { value }))).code).toBe(
        'contract.too-much',
      );
      const almost = 'x'.repeat(wireLimits.messageBytes - 200);
      expect(await stage.current.client.call('test.echo', { value: almost })).toBe(almost);
    });

    it('nesting without end', async () => {
      let value: unknown = 1;
      for (let depth = 0; depth < 200; depth += 1) value = [value];
      expect((await failure(stage.current.client.call('test.echo', { value }))).code).toBe(
        'contract.too-much',
      );
    });
  });
});
