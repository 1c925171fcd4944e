import { describe, expect, it } from 'vitest';
import { wireLimits } from '../../contract/wire.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { transports } from '../../tests/support/window-transports.ts';
import { eachOnStage } from './contract.fixture.ts';

describe.each(Object.entries(transports))('%s', (_name, open) => {
  const stage = eachOnStage(open);

  describe('streams', () => {
    const openStream = (name: string, params: unknown, credit: number) => {
      const got: unknown[] = [];
      const ends: string[] = [];
      const handle = stage.current.client.open(name, params, {
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
      expect([got.length, stage.current.main.sent.count, stage.current.main.log]).toEqual([3, 3, []]);
      handle.grant(3);
      await eventually(() => expect(got).toHaveLength(6));
      handle.grant(3);
      await eventually(() => expect(got).toHaveLength(9));
      handle.grant(3);
      await eventually(() => expect(ends).toEqual(['end']));
      expect(got).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(stage.current.main.log).toEqual(['counted']);
    });

    it('go on while messages are dealt with one by one', async () => {
      const got: unknown[] = [];
      const ended = Promise.withResolvers<void>();
      const handle = stage.current.client.open(
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
      expect(stage.current.main.bugs).toHaveLength(1);
    });

    it('are aborted when the window closes them', async () => {
      const { ends, handle } = openStream('test.count', { to: 10 }, 1);
      await eventually(() => expect(stage.current.main.sent.count).toBe(1));
      handle.close();
      await eventually(() => expect(stage.current.main.log).toEqual(['aborted']));
      expect([ends, stage.current.main.bugs]).toEqual([[], []]);
    });

    it('end when the connection does, and are not opened again', async () => {
      const { ends } = openStream('test.count', { to: 10 }, 1);
      await eventually(() => expect(stage.current.main.sent.count).toBe(1));
      stage.current.port.close();
      await eventually(() => expect(stage.current.main.log).toEqual(['aborted']));
      await eventually(() => expect(ends).toEqual(['app.gone']));
      await stage.current.connect();
      expect(await stage.current.client.call('test.double', { number: 1 })).toBe(2);
      expect(stage.current.main.log).toEqual(['aborted']);
    });

    it('are refused beyond the limit', async () => {
      for (let index = 0; index < wireLimits.streams; index += 1) openStream('test.bytes', {}, 1);
      const { ends } = openStream('test.bytes', {}, 1);
      await eventually(() => expect(ends).toEqual(['contract.too-much']));
    });

    it('may not be granted more than the limit', async () => {
      const { ends } = openStream('test.bytes', {}, wireLimits.credit);
      stage.current.rawSend({ t: 'credit', id: 1, amount: 1 });
      await eventually(() => expect(ends).toEqual(['contract.too-much']));
    });

    it('take only messages of their contract', async () => {
      const { ends, handle } = openStream('test.bytes', {}, 1);
      handle.send({ text: 'no bytes' });
      await eventually(() => expect(ends).toEqual(['contract.invalid']));
      const counting = openStream('test.count', { to: 10 }, 1);
      counting.handle.send(new Uint8Array([1]));
      await eventually(() => expect(counting.ends).toEqual(['contract.invalid']));
      await eventually(() => expect(stage.current.main.log).toEqual(['aborted']));
    });
  });
});
