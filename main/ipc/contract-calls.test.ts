import { describe, expect, it } from 'vitest';
import { wireLimits } from '../../contract/wire.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { transports } from '../../tests/support/window-transports.ts';
import { codeOf, eachOnStage, failure } from './contract.fixture.ts';

describe.each(Object.entries(transports))('%s', (_name, open) => {
  const stage = eachOnStage(open);

  describe('calls', () => {
    it('are answered', async () => {
      const answers = [1, 2, 3].map((number) => stage.current.client.call('test.double', { number }));
      expect(await Promise.all(answers)).toEqual([2, 4, 6]);
    });

    it('carry values as they are, also keys that mean something to JavaScript', async () => {
      const value: unknown = JSON.parse(
        '{"__proto__":{"x":1},"constructor":[null,"é\\u0000",1e300],"deep":{"a":{}}}',
      );
      const answer = await stage.current.client.call('test.echo', { value });
      expect(JSON.stringify(answer)).toBe(JSON.stringify(value));
      expect(Object.hasOwn(answer as object, '__proto__')).toBe(true);
    });

    it('fail with what main says', async () => {
      expect(await failure(stage.current.client.call('test.refuse', {}))).toEqual({
        code: 'cluster.gone',
        message: 'M.',
        cause: 'C.',
        next: 'N.',
      });
      expect(stage.current.main.bugs).toEqual([]);
    });

    it('tell nothing of a bug, which is reported and harms nobody else', async () => {
      const error = await failure(stage.current.client.call('test.bug', {}));
      expect(error.code).toBe('app.bug');
      expect(JSON.stringify(error)).not.toContain('secret');
      expect(stage.current.main.bugs).toEqual([new TypeError('inner secret')]);
      expect(await stage.current.client.call('test.double', { number: 4 })).toBe(8);
    });

    it('are cancelled in main when the window does', async () => {
      const controller = new AbortController();
      const call = stage.current.client.call('test.wait', {}, { signal: controller.signal });
      await eventually(() => expect(stage.current.main.log).toEqual(['waiting']));
      controller.abort();
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
      await eventually(() => expect(stage.current.main.log).toEqual(['waiting', 'cancelled']));
      expect(stage.current.frames).toEqual([]);
      expect(stage.current.main.bugs).toEqual([]);
    });

    it('that were cancelled before are not made', async () => {
      await expect(
        stage.current.client.call('test.wait', {}, { signal: AbortSignal.abort() }),
      ).rejects.toBeDefined();
      expect(await stage.current.client.call('test.double', { number: 1 })).toBe(2);
      expect(stage.current.main.log).toEqual([]);
    });

    it('beyond the limit are refused, and later ones are not', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const waiting = Array.from({ length: wireLimits.calls }, () =>
        stage.current.client.call('test.wait', {}, { signal }),
      );
      for (const call of waiting) call.catch(() => undefined);
      expect(
        codeOf(
          await stage.current.client.call('test.double', { number: 1 }).catch((error: unknown) => error),
        ),
      ).toBe('contract.too-much');
      controller.abort();
      await eventually(async () =>
        expect(await stage.current.client.call('test.double', { number: 1 })).toBe(2),
      );
    });
  });
});
