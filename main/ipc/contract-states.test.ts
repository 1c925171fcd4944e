import { describe, expect, it } from 'vitest';
import type { ErrorValue } from '../../contract/errors.ts';
import { wireLimits } from '../../contract/wire.ts';
import { eventually } from '../../tests/support/eventually.ts';
import { transports } from '../../tests/support/window-transports.ts';
import { eachOnStage } from './contract.fixture.ts';

const parse = (text: string) => JSON.parse(text) as Readonly<Record<string, unknown>>;

describe.each(Object.entries(transports))('%s', (_name, open) => {
  const stage = eachOnStage(open);

  describe('states', () => {
    const watch = (of = 'all') => {
      const seen: { value: unknown; error: ErrorValue | undefined }[] = [];
      const watching = stage.current.client.watch('test.names', { of }, (next) => seen.push(next));
      return { seen, watching, latest: () => seen.at(-1)?.value };
    };

    it('come as a snapshot, then as patches of what changed', async () => {
      const { latest } = watch();
      await eventually(() => expect(latest()).toEqual({ items: { a: { n: 1 }, b: { n: 2 } } }));
      const before = latest() as { items: { b: unknown } };
      stage.current.main.names.set({
        items: { ...(stage.current.main.names.value['items'] as object), a: { n: 5 } },
      });
      await eventually(() => expect(latest()).toEqual({ items: { a: { n: 5 }, b: { n: 2 } } }));
      expect((latest() as typeof before).items.b).toBe(before.items.b);
      expect(stage.current.frames.map(({ t }) => t)).toEqual(['snapshot', 'patch']);
      expect(stage.current.frames[1]).toMatchObject({ patch: { items: { a: { n: 5 } } } });
    });

    it('that change often are told seldom, and the last value arrives', async () => {
      const { latest } = watch();
      await eventually(() => expect(latest()).toBeDefined());
      const until = performance.now() + 400;
      let n = 0;
      while (performance.now() < until) {
        stage.current.main.names.set({ n: (n += 1) });
        await new Promise((resolve) => setImmediate(resolve));
      }
      await eventually(() => expect(latest()).toEqual({ n }));
      expect(n).toBeGreaterThan(50);
      expect(stage.current.frames.length).toBeLessThan(14);
    });

    it('with keys that mean something to JavaScript stay themselves', async () => {
      const { latest } = watch();
      stage.current.main.names.set(parse('{"items":{"__proto__":{"polluted":1},"constructor":{"a":1}}}'));
      await eventually(() =>
        expect(JSON.stringify(latest())).toBe('{"items":{"__proto__":{"polluted":1},"constructor":{"a":1}}}'),
      );
      stage.current.main.names.set(parse('{"items":{"__proto__":{"polluted":2}}}'));
      await eventually(() => expect(JSON.stringify(latest())).toBe('{"items":{"__proto__":{"polluted":2}}}'));
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });

    it('are sent whole when a patch was missed', async () => {
      const { latest } = watch();
      await eventually(() => expect(latest()).toBeDefined());
      let lost = 0;
      stage.current.lose = (frame) => frame.t === 'patch' && lost++ === 0;
      stage.current.main.names.set({ a: 1 });
      await eventually(() => expect(lost).toBe(1));
      stage.current.main.names.set({ a: 1, b: 2 });
      await eventually(() => expect(latest()).toEqual({ a: 1, b: 2 }));
      expect(stage.current.frames.map(({ t }) => t)).toEqual(['snapshot', 'patch', 'patch', 'snapshot']);
      stage.current.main.names.set({ a: 1 });
      await eventually(() => expect(latest()).toEqual({ a: 1 }));
    });

    it('are shared by those who watch the same, and let go by the last', async () => {
      const first = watch();
      const second = watch();
      await eventually(() => expect(second.latest()).toBeDefined());
      expect(stage.current.frames).toHaveLength(1);
      first.watching[Symbol.dispose]();
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(stage.current.main.log).toEqual([]);
      second.watching[Symbol.dispose]();
      await eventually(() => expect(stage.current.main.log).toEqual(['unwatched']));
    });

    it('that there are not are told as such', async () => {
      const { seen } = watch('nobody');
      await eventually(() => expect(seen.at(-1)?.error?.code).toBe('cluster.unknown'));
      const bug = watch('bug');
      await eventually(() => expect(bug.seen.at(-1)?.error?.code).toBe('app.bug'));
      expect(stage.current.main.bugs).toHaveLength(1);
    });

    it('keep their value over a lost connection and come back', async () => {
      const { seen, latest } = watch();
      await eventually(() => expect(latest()).toBeDefined());
      const before = latest() as { items: unknown };
      const told = seen.length;
      stage.current.port.close();
      await eventually(() => expect(stage.current.main.log).toEqual(['unwatched']));
      expect(latest()).toBe(before);
      stage.current.main.names.set({ ...stage.current.main.names.value, more: 1 });
      await stage.current.connect();
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
});
