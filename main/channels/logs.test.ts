import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { SlipwayError } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import { systemClock } from '../base/clock.ts';
import type { Kube, LogOptions, PodTarget } from '../kube/kube.ts';
import { maximumLineLength, readLines } from './log-lines.ts';
import { followLogs, type ContainerRun, type LogItem } from './logs.ts';

const run = (pod: string, id: string): ContainerRun => ({
  namespace: 'shop',
  pod,
  container: 'web',
  run: id,
});
const line = (second: number, text: string): string => `2024-05-06T07:08:0${second}.000000001Z ${text}\n`;
const lost = new SlipwayError({ code: 'stream.lost', message: 'Lost.', next: 'Wait.' });
const impatient: Clock = { ...systemClock, sleep: (_ms, signal) => systemClock.sleep(0, signal) };

/** One answer per request for a log: its text, and the error it breaks with. */
interface Answer {
  readonly run: ContainerRun;
  readonly text: string;
  readonly error?: Error;
  readonly refuse?: Error;
}

async function follow(
  answers: readonly Answer[],
  previous = '',
): Promise<{ items: string[]; asked: LogOptions[] }> {
  const abort = new AbortController();
  const asked: LogOptions[] = [];
  let next = 0;
  const kube: Pick<Kube, 'logs'> = {
    async logs(_target: PodTarget, options: LogOptions = {}) {
      asked.push(options);
      if (options.previous === true) return Readable.from([Buffer.from(previous)]);
      const answer = answers[next++];
      if (answer?.refuse !== undefined) throw answer.refuse;
      return Readable.from(
        (async function* () {
          yield Buffer.from(answer?.text ?? '');
          if (answer?.error !== undefined) throw answer.error;
        })(),
      );
    },
  };
  const items: string[] = [];
  const resolve = async (): Promise<ContainerRun> => {
    const answer = answers[next];
    if (answer !== undefined) return answer.run;
    abort.abort();
    throw abort.signal.reason;
  };
  try {
    for await (const item of followLogs({
      kube,
      resolve,
      tailLines: 10,
      clock: impatient,
      signal: abort.signal,
    })) {
      items.push(describeItem(item));
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  }
  return { items, asked };
}

function describeItem(item: LogItem): string {
  if (item.kind === 'run') return `run ${item.run.pod} ${item.run.run}`;
  return item.kind === 'line' ? item.text : item.error.code;
}

describe('following the log of a workload', () => {
  it('goes on after a broken connection without doubles', async () => {
    const one = run('web-1', 'a');
    const { items, asked } = await follow([
      { run: one, text: line(1, 'first') + line(2, 'second'), error: lost },
      { run: one, text: line(1, 'first') + line(2, 'second') + line(3, 'third') },
    ]);
    expect(items).toEqual(['run web-1 a', 'first', 'second', 'stream.lost', 'third']);
    expect(asked.map(({ tailLines, sinceTime }) => [tailLines, sinceTime])).toEqual([
      [10, undefined],
      [undefined, '2024-05-06T07:08:01Z'],
    ]);
  });

  it('goes on with the next run of the container and with the next pod', async () => {
    const { items, asked } = await follow([
      { run: run('web-1', 'a'), text: line(1, 'one') },
      { run: run('web-1', 'b'), text: line(5, 'two') },
      { run: run('web-2', 'c'), text: line(3, 'three') },
    ]);
    expect(items).toEqual(['run web-1 a', 'one', 'run web-1 b', 'two', 'run web-2 c', 'three']);
    expect(asked.at(-1)).toMatchObject({ follow: true });
    expect(asked.at(-1)?.sinceTime).toBeUndefined();
  });

  it('reads the end of a run that restarted while the connection was broken', async () => {
    const { items } = await follow(
      [
        { run: run('web-1', 'a'), text: line(1, 'one'), error: lost },
        { run: run('web-1', 'b'), text: line(5, 'three') },
      ],
      line(1, 'one') + line(2, 'two'),
    );
    expect(items).toEqual(['run web-1 a', 'one', 'stream.lost', 'two', 'run web-1 b', 'three']);
  });

  it('waits for a container that has not started, and gives up without rights', async () => {
    const refusal = (code: 'cluster.invalid' | 'cluster.forbidden') =>
      new SlipwayError({ code, message: 'No.', next: 'Wait.' });
    const one = run('web-1', 'a');
    const { items } = await follow([
      { run: one, text: '', refuse: refusal('cluster.invalid') },
      { run: one, text: line(1, 'one') },
    ]);
    expect(items).toEqual(['run web-1 a', 'one']);
    await expect(
      follow([{ run: one, text: '', refuse: refusal('cluster.forbidden') }]),
    ).rejects.toMatchObject({
      code: 'cluster.forbidden',
    });
  });
});

describe('the lines of a byte stream', () => {
  it('survive any cut, keep empty ones, and come in pieces when too long', async () => {
    const bytes = Buffer.from(`ä\n\nb\r\n${'x'.repeat(maximumLineLength + 1)}\nend`);
    const chunks = [bytes.subarray(0, 1), bytes.subarray(1)];
    const lines: string[] = [];
    for await (const text of readLines(Readable.from(chunks))) lines.push(text);
    expect(lines.slice(0, 3)).toEqual(['ä', '', 'b\r']);
    expect(lines.slice(3).join('')).toBe(`${'x'.repeat(maximumLineLength + 1)}end`);
  });
});
