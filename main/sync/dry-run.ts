import { join } from 'node:path';
import { openAncestor } from './ancestor.ts';
import type { Change, Side } from './change.ts';
import { otherSide } from './change.ts';
import { compareEntries, modePolicy } from './compare.ts';
import type { Endpoint } from './endpoint.ts';
import { loadConsentList, needsConsent } from './execution-consent.ts';
import { actionOf } from './file-action.ts';
import { DiskTrash } from './local-endpoint/disk-trash.ts';
import { probeNames } from './local-endpoint/probe-names.ts';
import { hasTwins, NameTwins } from './name-twins.ts';
import { compileAll, openSides, type OpenPairOptions } from './open-pair.ts';
import { pairId } from './pair.ts';
import { lockPair } from './pair-lock.ts';
import { placeOf } from './pair-place.ts';
import { anyNames, guardEntry } from './paths.ts';
import { checkPlan, defaultBrake } from './plan-safety.ts';
import type { Guard, Reconciliation } from './reconcile.ts';
import { reconcile } from './reconcile.ts';
import { lastingStrategy } from './session-planner.ts';
import { SideState } from './side-state.ts';
import type { FileAction, HeldKind } from './sync-event.ts';
import { Tree } from './tree.ts';

/** One step that a sync would take now. */
export interface PlannedStep {
  readonly where: 'laptop' | 'container';
  readonly action: FileAction;
  readonly path: string;
  /** New path of a rename. */
  readonly to?: string | undefined;
  /** Bytes of the content that would travel. */
  readonly bytes: number;
  /** It replaces or removes content that is there now. */
  readonly replaces: boolean;
  /** It would wait for an answer, for this reason. */
  readonly held?: HeldKind | undefined;
}

export interface DryRun {
  readonly steps: readonly PlannedStep[];
  /** Paths that would stay different until somebody chooses. */
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
  /** What would not be synced, a sentence each. */
  readonly problems: readonly {
    readonly where: 'laptop' | 'container';
    readonly path: string;
    readonly message: string;
  }[];
  /** Paths that are alike on both sides. */
  readonly same: number;
  /** The pair was never in sync. */
  readonly first: boolean;
}

/** Looks at contents before a plan is final: a renamed file, then what it stood for. More rounds mean that files move. */
const rounds = 8;

/**
 * Says what a sync would do now: connects, looks at both sides, decides as the engine does, and ends. Nothing is
 * changed on either side, nor in what the pair remembers; only a running sync of the same pair keeps it from looking.
 */
export async function dryRun(options: OpenPairOptions, signal: AbortSignal): Promise<DryRun> {
  const place = await placeOf(options.identity);
  const folder = join(options.home, 'sync', pairId({ ...options.identity, localPath: place.path }));
  const lists = compileAll(options, place.localName);
  await using _lock = await lockPair(options.files, folder, options.identity);
  const trash = new DiskTrash({ folder: join(folder, 'trash'), clock: options.clock });
  const ancestor = await openAncestor(options.files, folder);
  const sides = await openSides(options, place, lists, trash);
  await using local = sides.local;
  const epoch = Math.max(Math.floor(options.clock.now()), ancestor.state.facts.epoch + 1);
  await using remote = await sides.connectRemote(epoch, signal);
  const { state } = ancestor;
  const localState = new SideState(
    sides.rules,
    (path) => state.agreed.get(path),
    () => undefined,
  );
  const remoteState = new SideState(
    sides.rules,
    (path) => state.agreedRemote.get(path),
    () => undefined,
  );
  const [localScan, remoteScan] = await Promise.all([local.scan({ signal }), remote.scan({ signal })]);
  const found = [
    ...localState.mergeScan(localScan).map((problem) => ({ where: 'laptop' as const, ...problem })),
    ...remoteState.mergeScan(remoteScan).map((problem) => ({ where: 'container' as const, ...problem })),
  ];
  const { remoteRoot, localRoot, initialDone } = state.facts;
  const sameLocal =
    localRoot === undefined ||
    (localRoot.inode === local.root.inode && localRoot.container === local.root.container);
  const otherRemote =
    remoteRoot !== undefined &&
    (remoteRoot.inode !== remote.root.inode ||
      remoteRoot.device !== remote.root.device ||
      remoteRoot.container !== remote.root.container);
  // What is missing in another folder of the laptop was not deleted.
  const past = sameLocal ? state.agreed : new Tree();
  const names = probeNames(place.folder, process.platform);
  const consent = loadConsentList();
  const twins = hasTwins(names) ? new NameTwins(names, remoteState.tree, localState.tree) : undefined;
  const guardLocal: Guard = (path, entry) => {
    const twin = twins?.keptInstead(path);
    if (twin !== undefined)
      return { kind: 'refuse', message: `Not synced: ${twin} is the same name on this machine` };
    const verdict = guardEntry(path, entry, names);
    if (verdict.kind !== 'allow' || state.facts.approved.includes(path)) return verdict;
    if (!needsConsent(path, entry, consent, remoteState.tree)) return verdict;
    return { kind: 'consent', message: 'Programs on this machine would execute it' };
  };
  const modes = modePolicy(
    local.umask ?? 0o022,
    remote.umask ?? 0o022,
    local.umask !== undefined && options.modes !== 'keep',
  );
  const plan = await decide(
    () =>
      reconcile({
        ancestor: past,
        local: localState.tree,
        remote: remoteState.tree,
        rules: sides.rules,
        strategy: lastingStrategy(options.strategy, sides.rules.direction, initialDone),
        initial: !initialDone,
        rootChanged: otherRemote && state.agreed.size > 0,
        seed: state.seed,
        differences: state.differences,
        modes,
        clockOffsetMs: remote.clockOffsetMs,
        nowMs: options.clock.now(),
        unreadable: { local: localState.unreadable, remote: remoteState.unreadable },
        guardLocal,
        guardRemote: (path, entry) => guardEntry(path, entry, anyNames),
      }),
    { local, remote },
    { local: localState, remote: remoteState },
    signal,
  );
  const brake = { ...defaultBrake, ...options.brake };
  const facts = (side: Side) => ({
    files: { local: localState, remote: remoteState }[side].tree.files,
    agreed: state.agreed.size,
    sourceEmpty: { local: localState, remote: remoteState }[otherSide(side)].tree.size === 0,
    sourceHollow: { local: localState, remote: remoteState }[otherSide(side)].tree.isHollow,
    trashCapBytes: trash.capBytes,
  });
  const steps = (['remote', 'local'] as const).flatMap((side) => {
    const changes = side === 'local' ? plan.toLocal : plan.toRemote;
    const held = new Map<string, HeldKind>();
    for (const verdict of checkPlan(side, changes, facts(side), brake))
      for (const path of verdict.paths) if (!held.has(path)) held.set(path, verdict.kind);
    return changes.map((change) => stepOf(side, change, held.get(change.path)));
  });
  const consents = plan.consent.map(({ path }): PlannedStep => {
    const entry = remoteState.tree.get(path);
    const there = localState.tree.get(path);
    return {
      where: 'laptop',
      action: there === undefined ? 'create' : 'update',
      path,
      bytes: entry?.kind === 'file' ? entry.size : 0,
      replaces: there?.kind === 'file',
      held: 'consent',
    };
  });
  let same = 0;
  for (const [path, entry] of localState.tree.entries())
    if (compareEntries(entry, remoteState.tree.get(path), modes.mask) === 'same') same++;
  return {
    steps: [...steps, ...consents],
    conflicts: plan.conflicts.map(({ path, reason }) => ({ path, reason })),
    problems: [
      ...found,
      ...plan.problems.map(({ side, path, message }) => ({
        where: side === 'local' ? ('laptop' as const) : ('container' as const),
        path,
        message,
      })),
    ],
    same,
    first: !initialDone,
  };
}

/** Decides until no content has to be read for it any more. */
async function decide(
  plan: () => Reconciliation,
  endpoints: Readonly<Record<Side, Endpoint>>,
  states: Readonly<Record<Side, SideState>>,
  signal: AbortSignal,
): Promise<Reconciliation> {
  let latest = plan();
  for (let round = 0; round < rounds; round++) {
    const wanted = { local: [...latest.needsDigest.local], remote: [...latest.needsDigest.remote] };
    // Content that moved is recognised by its digest.
    const gone = new Set<number>();
    for (const change of [...latest.toLocal, ...latest.toRemote])
      if (change.kind === 'delete' && change.expected?.kind === 'file') gone.add(change.expected.size);
    for (const [side, changes] of [
      ['local', latest.toRemote],
      ['remote', latest.toLocal],
    ] as const) {
      for (const change of changes) {
        if (change.kind !== 'put' || !gone.has(change.source.size) || change.source.digest !== undefined)
          continue;
        wanted[side].push(change.path);
      }
    }
    if (wanted.local.length + wanted.remote.length === 0) break;
    for (const side of ['local', 'remote'] as const) {
      if (wanted[side].length === 0) continue;
      const found = await endpoints[side].inspect(wanted[side], { digest: true, signal });
      for (const [path, entry] of found.entries) states[side].merge(path, entry);
      for (const { path } of found.problems) states[side].unreadable.add(path);
    }
    latest = plan();
  }
  return latest;
}

function stepOf(side: Side, change: Change, held: HeldKind | undefined): PlannedStep {
  return {
    where: side === 'local' ? 'laptop' : 'container',
    action: actionOf(change),
    path: change.path,
    ...(change.kind === 'rename' ? { to: change.to } : {}),
    bytes: change.kind === 'put' ? change.source.size : 0,
    replaces: change.kind !== 'chmod' && change.kind !== 'rename' && change.expected?.kind === 'file',
    ...(held === undefined ? {} : { held }),
  };
}
