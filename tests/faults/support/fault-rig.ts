import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerRoot } from '../../../sandbox/client.ts';
import { RunningSlipway } from '../../support/slipway.ts';
import { Canaries } from './canaries.ts';
import { allowed } from './criterion.ts';
import { Honesty } from './honesty.ts';
import { containerTrash, localTrash } from './keepings.ts';
import { Ledger, type SideName } from './ledger.ts';
import { LoopReader } from './reader.ts';
import { Resources } from './resources.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { differences, TreeModel } from './tree-model.ts';

export interface FaultRigOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string;
  /** The folder in the container; one of its own below /pairs when not given. */
  readonly remotePath?: string;
  /** The laptop's folder, when it is to lie on a file system of its own. */
  readonly local?: string;
  /** Over a line that can be broken. */
  readonly proxy?: boolean;
  readonly kubeconfig?: string;
  /** How often "in sync" is checked against both trees; 0 for trees that are too big for it. */
  readonly honestyEveryMs?: number;
}

/** Memory that an app and a helper may take in any fault, in MiB, and files that they may have open (G6). */
const limits = { appMib: 400, helperMib: 96, appFiles: 200, helperFiles: 200 };

/** A folder here, one in a container, a sync between them, and all that watches over G1 to G7. */
export class FaultRig implements AsyncDisposable {
  readonly #scratch = mkdtempSync(join(tmpdir(), 'slipway-fault-'));
  readonly #options: FaultRigOptions;
  readonly home = join(this.#scratch, 'home');
  readonly local: string;
  readonly remotePath: string;
  readonly container: string;
  readonly proxy: TcpProxy | undefined;
  readonly ledger: Ledger;
  readonly trees: readonly [TreeModel, TreeModel];
  /** Changes when another pod takes the place of the first. */
  pod: string;
  #canaries: Canaries | undefined;
  #sync: RunningSlipway | undefined;
  #honesty: Honesty | undefined;
  #resources: Resources | undefined;
  readonly #readers: LoopReader[] = [];

  private constructor(options: FaultRigOptions, proxy: TcpProxy | undefined) {
    this.#options = options;
    this.proxy = proxy;
    this.pod = options.pod;
    this.container = options.container ?? 'main';
    this.local = options.local ?? join(this.#scratch, 'p');
    this.remotePath = options.remotePath ?? `/pairs/${this.#scratch.slice(-6)}`;
    mkdirSync(this.local, { recursive: true });
    this.trees = [new TreeModel(() => this.local), new TreeModel(() => this.remote())];
    this.ledger = new Ledger({
      here: { root: () => this.local, beside: () => `${this.local}.new` },
      there: { root: () => this.remote(), beside: () => `${this.remote()}.new` },
    });
  }

  static async open(options: FaultRigOptions): Promise<FaultRig> {
    const rig = new FaultRig(options, options.proxy === true ? await TcpProxy.start() : undefined);
    mkdirSync(rig.remote(), { recursive: true });
    rig.keepCanaries();
    return rig;
  }

  /** The container's root as this machine sees it. */
  get root(): string {
    return containerRoot(this.#options.namespace, this.pod, this.container);
  }

  here(path = ''): string {
    return join(this.local, path);
  }

  remote(path = ''): string {
    return join(this.root, this.remotePath, path);
  }

  scratch(path: string): string {
    return join(this.#scratch, path);
  }

  write(side: SideName, path: string, content: Buffer): void {
    this.ledger.write(side, path, content);
  }

  /** Canaries on both sides anew, as after a replacement of the container. */
  keepCanaries(): void {
    const there = this.remote();
    this.#canaries = new Canaries([
      this.scratch('outside'),
      `${this.local}-sibling`,
      `${there}-sibling`,
      join(this.root, `outside-${this.#scratch.slice(-6)}`),
    ]);
  }

  get sync(): RunningSlipway {
    if (this.#sync === undefined) throw new Error('No sync was started');
    return this.#sync;
  }

  get honesty(): Honesty {
    if (this.#honesty === undefined) throw new Error('No sync was started');
    return this.#honesty;
  }

  get resources(): Resources {
    if (this.#resources === undefined) throw new Error('No sync was started');
    return this.#resources;
  }

  arguments(...flags: readonly string[]): string[] {
    const { namespace } = this.#options;
    const path = `${this.local}:${this.remotePath}`;
    return [
      'sync',
      '-n',
      namespace,
      '--pod',
      this.pod,
      '--container',
      this.container,
      '--path',
      path,
      ...flags,
    ];
  }

  /**
   * Runs a command and watches over it; the sync of this rig unless other arguments are given. `within` is a program
   * that runs it in surroundings of its own.
   */
  launch(args: readonly string[] = this.arguments(), within: readonly string[] = []): RunningSlipway {
    const kubeconfig = this.#options.kubeconfig ?? this.proxy?.kubeconfig(this.#scratch);
    const sync = new RunningSlipway(
      { home: this.home, within, ...(kubeconfig === undefined ? {} : { kubeconfig }) },
      args,
    );
    this.#honesty?.[Symbol.dispose]();
    this.#resources?.[Symbol.dispose]();
    this.#sync = sync;
    const every = this.#options.honestyEveryMs ?? 500;
    this.#honesty = new Honesty(sync, this.trees, every === 0 ? Infinity : every);
    this.#resources = new Resources(
      () => (sync.child.exitCode === null ? sync.child.pid : undefined),
      () => this.root,
    );
    return sync;
  }

  async start(...flags: readonly string[]): Promise<RunningSlipway> {
    const sync = this.launch(this.arguments(...flags));
    await sync.ready();
    return sync;
  }

  /** Reads both folders in a loop, the container's through the container's own mounts. */
  read(watched: readonly string[] = []): void {
    this.#readers.push(new LoopReader(this.local, watched), new LoopReader(this.remote(), watched));
  }

  /** Reads these files of the container alone, where the laptop's are written in ways that tear them there. */
  readThere(only: readonly string[]): void {
    this.#readers.push(new LoopReader(this.remote(), only, true));
  }

  differences(): string[] {
    return differences(this.trees[0].read(), this.trees[1].read());
  }

  /**
   * Waits until both sides are alike and the sync says so (G3); fails with what differs when it takes longer than the
   * time, which is meant for an idle machine. Resolves with the milliseconds that it took.
   */
  async converged(withinMs: number, from = Date.now()): Promise<number> {
    const limit = allowed(withinMs);
    for (;;) {
      let lines: string[];
      try {
        lines = this.differences();
      } catch (error) {
        lines = [String(error)];
      }
      const alike = lines.length === 0;
      if (alike && this.honesty.saysInSync && this.differences().length === 0) return Date.now() - from;
      if (Date.now() - from > limit) {
        const states = this.honesty.states.slice(-12).map(({ at, message }) => `${at - from} ms: ${message}`);
        throw new Error(
          `Not in sync ${Date.now() - from} ms after it (allowed: ${Math.round(limit)} ms): ${lines.slice(0, 10).join('\n')} (${lines.length})\n${states.join('\n')}\n${this.sync.stderr}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }

  /** Contents that are nowhere any more although nobody gave them up (G1), with where they were written. */
  lost(): string[] {
    const found = new Set<string>([...localTrash(this.home), ...containerTrash(this.root)]);
    for (const tree of this.trees) {
      for (const what of tree.read().values()) if (what.startsWith('file ')) found.add(what.slice(5));
    }
    return [...this.ledger.owed]
      .filter(([hash]) => !found.has(hash))
      .map(([hash, { path, side }]) => `${path}, written ${side} (${hash.slice(0, 8)})`);
  }

  /** Checks G1, G2, G4, G5 and G6, ends the sync as a user does, and sees that nothing of it remains. */
  async verify(
    more: {
      readonly stop?: boolean;
      readonly helperMib?: number;
      readonly excuse?: (fault: string) => boolean;
    } = {},
  ): Promise<void> {
    for (const reader of this.#readers.splice(0)) {
      const { reads, faults } = await reader.end();
      const counted = faults.filter((fault) => more.excuse?.(fault) !== true);
      assert.deepEqual(counted, [], `G2: torn or absent contents in ${reads} reads`);
    }
    assert.deepEqual(this.lost(), [], 'G1: contents that nobody gave up are nowhere');
    assert.equal(this.#canaries?.harm, undefined, 'G4: canaries outside the root');
    assert.deepEqual(this.honesty.lies, [], 'G5: "in sync" was said');
    for (const [what, limit] of Object.entries({
      ...limits,
      helperMib: more.helperMib ?? limits.helperMib,
    })) {
      const highest = this.resources.highest(what as keyof typeof limits);
      assert.ok(highest < limit, `G6: ${what} was ${highest}, allowed are ${limit}`);
    }
    for (const tree of this.trees) {
      const left = [...tree.read().keys()].filter((path) => /\.slipway-.*\.tmp/.test(path));
      assert.deepEqual(left, [], 'what was under way was left behind');
    }
    if (more.stop !== false) assert.equal(await this.sync.stop(), 0, this.sync.stderr);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const reader of this.#readers) await reader[Symbol.asyncDispose]();
    this.#honesty?.[Symbol.dispose]();
    this.#resources?.[Symbol.dispose]();
    await this.#sync?.[Symbol.asyncDispose]();
    await this.proxy?.[Symbol.asyncDispose]();
    try {
      for (const path of [this.remote(), `${this.remote()}.new`, `${this.remote()}-sibling`]) {
        if (existsSync(path)) rmSync(path, { recursive: true, force: true });
      }
    } catch {
      // The container is gone, and its files with it.
    }
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}
