import { setTimeout as sleep } from 'node:timers/promises';
import { conditions } from '../support/machine.ts';
import type { SyncBench } from './bench.ts';
import type { Resources } from './engine-questions.ts';
import { helperUse } from './helper-processes.ts';

const idleMs = 45_000;
/** What the edits and the first sync left behind is over after this. */
const calmMs = 5000;
const goals = { cpuShare: 0.0005, helperBytes: 25e6, appBytes: 150e6 };

/** What a pair of 100,000 files costs while nothing happens. */
export const idle: SyncBench = {
  name: 'idle',
  usesLarge: true,
  async run({ bed, large, signal }) {
    const { engine, base } = await large();
    await engine.ask({ kind: 'collect' });
    await sleep(calmMs, undefined, { signal });
    const before = conditions();
    const [app, helper, start] = [await resources(), helperUse(bed), performance.now()];
    await sleep(idleMs, undefined, { signal });
    const [appLater, helperLater] = [await resources(), helperUse(bed)];
    const passed = performance.now() - start;
    const shares = {
      app: (appLater.cpuMs - app.cpuMs) / passed,
      helper: (helperLater.cpuMs - helper.cpuMs) / passed,
    };
    const over = appLater.residentBytes - base.residentBytes;
    const percent = (share: number): string => `${(share * 100).toFixed(3)} %`;
    const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
    return [
      {
        what: 'idle at 100,000 files: processor',
        goal: '≤ 0.05 % of a core each end',
        measured: `app ${percent(shares.app)}, helper ${percent(shares.helper)} over ${idleMs / 1000} s`,
        met: shares.app <= goals.cpuShare && shares.helper <= goals.cpuShare,
        conditions: before,
      },
      {
        what: 'idle at 100,000 files: memory',
        goal: 'helper ≤ 25 MB, app ≤ 150 MB over its base',
        measured: `helper ${megabytes(helperLater.residentBytes)} resident in ${helperLater.processes} processes, app ${megabytes(over)} over its base of ${megabytes(base.residentBytes)}`,
        devspace: '52 + 23 MB helpers, 129 MB command line, at 20,000 files',
        met: helperLater.residentBytes <= goals.helperBytes && over <= goals.appBytes,
        conditions: before,
      },
    ];

    function resources(): Promise<Resources> {
      return engine.ask<Resources>({ kind: 'resources' });
    }
  },
};
