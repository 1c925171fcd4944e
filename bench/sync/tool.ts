import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { testKubeconfig } from '../../tests/support/kubectl.ts';
import { endChild, type AskedProcess } from '../support/children.ts';
import type { Bed, BenchPair } from './bed.ts';
import { monotonicMs } from './clock.ts';
import { openQuestion, startEngine, type OpenTimes } from './engine-questions.ts';

/** A sync that runs and has done its first one. */
export interface OpenSync extends AsyncDisposable {
  readonly times: OpenTimes;
  /** Slipway's own process. */
  readonly engine?: AskedProcess;
}

export interface SyncTool {
  readonly name: 'slipway' | 'devspace';
  /** Resolves when the tool says that both sides are alike. */
  open(bed: Bed, pair: BenchPair): Promise<OpenSync>;
}

export const slipwayTool: SyncTool = {
  name: 'slipway',
  async open(bed, pair) {
    await using stack = new AsyncDisposableStack();
    const engine = stack.use(startEngine(pair));
    const times = await engine.ask<OpenTimes>(openQuestion(bed, pair));
    const owned = stack.move();
    return {
      times,
      engine,
      async [Symbol.asyncDispose]() {
        try {
          await engine.ask({ kind: 'close' });
        } finally {
          await owned.disposeAsync();
        }
      },
    };
  },
};

/** The DevSpace command line; what it says is all that is known of when it connected. */
export function devspaceTool(program: string): SyncTool {
  return {
    name: 'devspace',
    async open(bed, pair) {
      const { namespace, pod, container } = bed;
      const begun = monotonicMs();
      let [connecting, attached] = [begun, begun];
      const child = spawn(
        program,
        [
          ...['sync', '--namespace', namespace, '--pod', pod, '--container', container],
          ...[`--path=${pair.local}:${pair.remote}`, '--initial-sync=preferLocal'],
        ],
        { cwd: pair.home, env: { ...process.env, KUBECONFIG: testKubeconfig() } },
      );
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (said += text));
      while (!/initial sync completed/i.test(said)) {
        if (child.exitCode !== null) throw new Error(`DevSpace ended: ${said.slice(-2000)}`);
        await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'exit')]);
        if (attached === begun && /sync started/i.test(said)) connecting = attached = monotonicMs();
      }
      return {
        times: { begun: attached, connecting, attached, inSync: monotonicMs(), cpuMs: 0 },
        [Symbol.asyncDispose]: () => endChild(child),
      };
    },
  };
}
