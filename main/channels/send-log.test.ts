import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { LogBatch } from '../../contract/terminals.ts';
import { systemClock } from '../base/clock.ts';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { followLogs, type ContainerRun, type LogItem } from './logs.ts';
import { batchMs, sendLog } from './send-log.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const line = (text: string): LogItem => ({ kind: 'line', timestamp: '', text });

describe('sending a log', () => {
  it('joins lines that come soon after each other', async () => {
    const clock = createFakeClock();
    const sent: LogBatch[] = [];
    const { signal } = new AbortController();
    let goOn: () => void = () => undefined;
    async function* items() {
      yield line('a');
      yield line('b');
      await new Promise<void>((resolve) => (goOn = resolve));
      yield line('c');
    }
    const done = sendLog(items(), { signal, send: async (batch) => void sent.push(batch) }, clock);
    await turn();
    expect(sent).toEqual([]);
    await clock.advance(batchMs);
    await turn();
    expect(sent.map(({ lines }) => lines.map(({ text }) => text))).toEqual([['a', 'b']]);
    goOn();
    await done;
    expect(sent.at(-1)?.lines.map(({ text }) => text)).toEqual(['c']);
  });

  it('sends what was read before it tells a failure', async () => {
    const sent: LogBatch[] = [];
    const { signal } = new AbortController();
    async function* items() {
      yield line('a');
      throw new Error('forbidden');
    }
    const peer = { signal, send: async (batch: LogBatch) => void sent.push(batch) };
    await expect(sendLog(items(), peer, systemClock)).rejects.toThrow('forbidden');
    expect(sent).toHaveLength(1);
  });

  it('ends when the window goes away', async () => {
    const { signal } = new AbortController();
    async function* items() {
      for (;;) yield line('a');
    }
    const send = (): Promise<void> => Promise.reject(new Error('closed'));
    await expect(sendLog(items(), { signal, send }, systemClock)).rejects.toThrow('closed');
  });

  it('reads no further than the window takes', async () => {
    const { signal } = new AbortController();
    let read = 0;
    async function* items() {
      for (;;) yield line(String(read++));
    }
    let taken = 0;
    const send = (): Promise<void> => (++taken > 3 ? new Promise(() => undefined) : Promise.resolve());
    void sendLog(items(), { signal, send }, systemClock);
    for (let index = 0; index < 50; index++) await turn();
    expect(read).toBeLessThan(6 * 256 + 2);
  });

  it('carries 60,000 lines a second and more without a gap', async () => {
    const abort = new AbortController();
    const total = 300_000;
    const run: ContainerRun = { namespace: 'n', pod: 'p', container: 'c', run: '1' };
    function* chunks() {
      for (let first = 0; first < total; first += 500) {
        const stamped = Array.from({ length: 500 }, (_, index) => {
          const number = first + index;
          const at = new Date(1_700_000_000_000 + Math.floor(number / 60)).toISOString();
          return `${at.replace('Z', `${String(number % 1_000_000).padStart(6, '0')}Z`)} line ${number} of a busy service\n`;
        });
        yield Buffer.from(stamped.join(''));
      }
    }
    let next = 0;
    const send = async ({ lines }: LogBatch): Promise<void> => {
      for (const { text } of lines) if (text === `line ${next} of a busy service`) next += 1;
      if (next === total) abort.abort(new Error('all seen'));
    };
    const before = process.cpuUsage();
    const kube = { logs: async () => Readable.from(chunks()) };
    const items = followLogs({ kube, resolve: async () => run, signal: abort.signal });
    await expect(sendLog(items, { signal: abort.signal, send }, systemClock)).rejects.toThrow('all seen');
    // By the processor's time: other work on this machine is not what is measured.
    const { user, system } = process.cpuUsage(before);
    const perSecond = total / ((user + system) / 1e6);
    expect(perSecond).toBeGreaterThan(60_000);
  });
});
