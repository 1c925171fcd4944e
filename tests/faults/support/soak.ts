import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { eventually } from '../../support/eventually.ts';
import { kubectl, kubectlJson } from '../../support/kubectl.ts';
import { podsOf } from '../../support/sync-place.ts';
import { webDeployment } from '../../support/workloads.ts';
import { freshContent } from './content.ts';
import { FaultRig } from './fault-rig.ts';
import { localTrash } from './keepings.ts';
import type { SideName } from './ledger.ts';
import { slopePerHour, type ResourceSample } from './resources.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly cutSeconds: number;
  readonly podMinutes: number;
  readonly editsPerSecond: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** What memory and open files may grow by over the whole soak. */
const growthLimits = { appMib: 24, appFiles: 4, helperMib: 12, helperFiles: 4 } as const;
/** A write in the container that is older than this must have reached the laptop when its container goes. */
const carriedWithinMs = 15_000;
const settleMs = 60_000;

/**
 * Edits both sides at random for a while, cuts the line and deletes the pod again and again, and then asks: are both
 * sides alike, is everything that was ever written still somewhere, and is memory flat? Resolves with what is wrong.
 */
export async function soak(options: SoakOptions): Promise<readonly string[]> {
  const { say } = options;
  await using namespace = await podsOf('soak', (name) => [webDeployment(name, { replicas: 1 })]);
  await using rig = await FaultRig.open({
    namespace: namespace.name,
    pod: await runningPod(namespace.name),
    container: 'web',
    proxy: true,
    honestyEveryMs: 2_000,
  });
  const path = `${rig.local}:${rig.remotePath}`;
  const flags = [
    '-n',
    namespace.name,
    '-l',
    'app=web',
    '--container',
    'web',
    '--path',
    path,
    '--create-path',
  ];
  await rig.launch(['sync', ...flags]).ready();
  const run = new Soak(rig, namespace.name, options);
  const wrong = await run.run();
  try {
    say(`in sync ${await rig.converged(settleMs)} ms after the last edit`);
  } catch (error) {
    wrong.push(String(error));
  }
  wrong.push(...rig.lost().map((lost) => `lost: ${lost}`), ...rig.honesty.lies);
  wrong.push(...judgeGrowth(rig.resources.samples, say));
  const tree = rig.trees[0].read();
  say(
    `${rig.ledger.size} contents written, ${rig.ledger.owed.size} to be accounted for, ${tree.size} paths at the end`,
  );
  const code = await rig.sync.stop();
  if (code !== 0) wrong.push(`the sync ended with ${String(code)}: ${rig.sync.stderr}`);
  return wrong;
}

class Soak {
  readonly #rig: FaultRig;
  readonly #namespace: string;
  readonly #options: SoakOptions;
  readonly #wrong: string[] = [];
  #random: number;
  #away = false;
  #counts = { edits: 0, cuts: 0, pods: 0 };

  constructor(rig: FaultRig, namespace: string, options: SoakOptions) {
    this.#rig = rig;
    this.#namespace = namespace;
    this.#options = options;
    this.#random = options.seed;
  }

  async run(): Promise<string[]> {
    const { minutes, cutSeconds, podMinutes, editsPerSecond, say } = this.#options;
    const began = Date.now();
    let [cutAt, podAt, saidAt] = [began + cutSeconds * 1000, began + podMinutes * 60_000, began];
    let replacing: Promise<void> = Promise.resolve();
    while (Date.now() < began + minutes * 60_000 && this.#rig.sync.child.exitCode === null) {
      this.#edit();
      if (Date.now() > cutAt) {
        await this.#rig.proxy?.run({ kind: 'cut' });
        this.#counts.cuts++;
        cutAt += cutSeconds * 1000;
      }
      if (Date.now() > podAt) {
        podAt += podMinutes * 60_000;
        replacing = this.#replacePod().catch((error: unknown) => void this.#wrong.push(String(error)));
      }
      if (Date.now() > saidAt + 60_000) {
        saidAt += 60_000;
        const last = this.#rig.resources.samples.at(-1);
        say(
          `${Math.round((Date.now() - began) / 60_000)} min: ${JSON.stringify(this.#counts)}, ${this.#rig.honesty.current?.message ?? ''}, app ${last?.appMib.toFixed(0)} MiB ${last?.appFiles} files, helper ${last?.helperMib.toFixed(0)} MiB`,
        );
      }
      await sleep(1000 / editsPerSecond);
    }
    await replacing;
    if (this.#rig.sync.child.exitCode !== null) this.#wrong.push(`the sync ended: ${this.#rig.sync.stderr}`);
    say(JSON.stringify(this.#counts));
    return this.#wrong;
  }

  #below(limit: number): number {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * limit);
  }

  /** Paths of each side alone, and a few that both write to, which makes conflicts. */
  #path(side: SideName): string {
    const shared = this.#below(10) === 0;
    if (shared) return `shared/f${this.#below(20)}`;
    return `${side}/d${this.#below(12)}/f${this.#below(20)}`;
  }

  #edit(): void {
    const side: SideName = this.#below(3) === 0 ? 'there' : 'here';
    if (side === 'there' && this.#away) return;
    const root = (path: string): string => (side === 'here' ? this.#rig.here(path) : this.#rig.remote(path));
    const path = this.#path(side);
    const kind = this.#below(100);
    this.#counts.edits++;
    try {
      if (kind < 80) {
        const size = kind < 2 ? 1_500_000 : kind < 8 ? 100_000 : 100 + this.#below(8_000);
        this.#rig.write(side, path, freshContent(size));
      } else if (kind < 92) this.#rig.ledger.remove(side, path);
      else if (kind < 98) {
        const to = `${side}/moved/f${this.#below(40)}`;
        if (!existsSync(root(path)) || existsSync(root(to))) return;
        mkdirSync(dirname(root(to)), { recursive: true });
        renameSync(root(path), root(to));
      } else {
        // A whole folder goes another way.
        const [from, to] = [`${side}/d${this.#below(12)}`, `${side}/d${this.#below(12)}`];
        if (existsSync(root(from)) && !existsSync(root(to))) renameSync(root(from), root(to));
      }
    } catch (error) {
      // A folder went while we wrote into it, or the container did.
      if (!/ENOENT|ENOTDIR|ESRCH|no running container/.test(String(error))) throw error;
    }
  }

  /** Deletes the pod. What was written in it a moment ago and did not reach the laptop goes with it. */
  async #replacePod(): Promise<void> {
    const rig = this.#rig;
    this.#away = true;
    this.#counts.pods++;
    const old = rig.pod;
    await sleep(500);
    const kept = localTrash(rig.home);
    for (const what of rig.trees[0].read().values()) kept.add(what.replace('file ', ''));
    for (const [hash, { side, path, at }] of rig.ledger.owed) {
      if (kept.has(hash)) continue;
      if (side === 'here') this.#wrong.push(`${path}, written here, was only in the container`);
      else if (Date.now() - at > carriedWithinMs)
        this.#wrong.push(`${path} was only in the container for ${Date.now() - at} ms`);
      rig.ledger.forgive(hash);
    }
    await kubectl('-n', this.#namespace, 'delete', 'pod', old, '--wait=false');
    rig.pod = await eventually(() => runningPod(this.#namespace, old), 60_000, 300);
    await eventually(() => readdirSync(join(rig.root, 'pairs')), 60_000, 100);
    await eventually(() => {
      if (!rig.honesty.saysInSync && !/behind/.test(rig.honesty.current?.message ?? ''))
        throw new Error('Not back');
    }, 60_000);
    this.#away = false;
  }
}

async function runningPod(namespace: string, not = ''): Promise<string> {
  const { items } = await kubectlJson<{ items: V1Pod[] }>('-n', namespace, 'get', 'pods', '-l', 'app=web');
  const pod = items.find(
    ({ metadata, status }) =>
      metadata?.name !== not && metadata?.deletionTimestamp === undefined && status?.phase === 'Running',
  );
  if (pod?.metadata?.name === undefined) throw new Error('No pod runs');
  return pod.metadata.name;
}

/** The least of each minute, since what is collected later is not growth; without the moments in which no helper ran. */
function floors(samples: readonly ResourceSample[]): ResourceSample[] {
  const minutes = new Map<number, ResourceSample>();
  for (const sample of samples.filter(({ helpers }) => helpers > 0)) {
    const at = Math.floor(sample.at / 60_000) * 60_000;
    const known = minutes.get(at) ?? sample;
    minutes.set(at, {
      at,
      appMib: Math.min(known.appMib, sample.appMib),
      appFiles: Math.min(known.appFiles, sample.appFiles),
      helperMib: Math.min(known.helperMib, sample.helperMib),
      helperFiles: Math.min(known.helperFiles, sample.helperFiles),
      helpers: sample.helpers,
    });
  }
  return [...minutes.values()];
}

function judgeGrowth(samples: readonly ResourceSample[], say: (line: string) => void): string[] {
  const taken = floors(samples);
  const hours = ((taken.at(-1)?.at ?? 0) - (taken[0]?.at ?? 0)) / 3_600_000;
  return (Object.keys(growthLimits) as (keyof typeof growthLimits)[]).flatMap((what) => {
    const slope = slopePerHour(taken, what);
    const grown = slope * hours;
    const highest = Math.max(...samples.map((sample) => sample[what]));
    say(
      `${what}: slope ${slope.toFixed(2)} an hour, ${grown.toFixed(2)} over the soak, highest ${highest.toFixed(1)}`,
    );
    return grown > growthLimits[what]
      ? [`${what} grew by ${grown.toFixed(1)}, allowed are ${growthLimits[what]}`]
      : [];
  });
}
