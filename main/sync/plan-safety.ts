import type { Change, Side } from './change.ts';

export interface BrakeSettings {
  readonly enabled: boolean;
  /** More deletions than this at once, and more than `share` of the side's files, are held. */
  readonly files: number;
  readonly share: number;
  /** Hold a first sync that would overwrite or delete on the laptop. */
  readonly holdFirstSyncOnLaptop: boolean;
}

export const defaultBrake: BrakeSettings = {
  enabled: true,
  files: 100,
  share: 0.5,
  holdFirstSyncOnLaptop: true,
};

export interface SideFacts {
  /** Files on the side now, before anything is applied. */
  readonly files: number;
  /** Entries of the ancestor that the rules still include. */
  readonly agreed: number;
  /** Whether anything at all is left on the side whose deletions these are. */
  readonly sourceEmpty: boolean;
  /** Whether at most folders are left there: while a root is being emptied its folders go last. */
  readonly sourceHollow?: boolean | undefined;
  /** Files that went, or were held from going, on this side in the last seconds: one removal seen in pieces is still one. */
  readonly recentlyDeleted?: number | undefined;
  /** Bytes that the laptop's trash keeps. */
  readonly trashCapBytes: number;
}

/** Changes that wait, with why. The other changes of the plan may go on. */
export interface BrakeVerdict {
  readonly kind: 'brake' | 'first-sync' | 'trash-cap';
  /** The side on which the changes would be made. */
  readonly side: Side;
  readonly reason: string;
  readonly paths: readonly string[];
}

/**
 * An emptied root with at least this many agreed entries before is no ordinary edit. Where the laptop would lose
 * them two are enough; who clears a small folder of his own by hand is not asked.
 */
const emptiedMinimum: Record<Side, number> = { local: 2, remote: 10 };

/** Finds what has to be held of the changes for one side. A missing root never gets here: it is an error of the scan. */
export function checkPlan(
  side: Side,
  changes: readonly Change[],
  facts: SideFacts,
  settings: BrakeSettings,
): readonly BrakeVerdict[] {
  const trashCap = trashCapVerdict(side, changes, facts.trashCapBytes);
  const unsafe = brakeVerdicts(side, changes, facts, settings);
  if (trashCap === undefined) return unsafe;
  const alsoTooMuch = `. Their old versions are more than the trash keeps (${bytesText(facts.trashCapBytes)})`;
  return [...unsafe.map((verdict) => ({ ...verdict, reason: verdict.reason + alsoTooMuch })), trashCap];
}

export function deletesContent(change: Change): boolean {
  return change.kind === 'delete' && change.expected?.kind !== 'directory';
}

function brakeVerdicts(
  side: Side,
  changes: readonly Change[],
  facts: SideFacts,
  settings: BrakeSettings,
): readonly BrakeVerdict[] {
  const verdicts: BrakeVerdict[] = [];
  if (settings.holdFirstSyncOnLaptop && side === 'local') {
    const victims = changes.filter((change) => change.why === 'first-sync' && replacesContent(change));
    if (victims.length > 0) verdicts.push(firstSyncVerdict(victims));
  }
  if (!settings.enabled) return verdicts;
  const deletions = changes.filter((change) => change.kind === 'delete' && change.why !== 'restored-root');
  const files = deletions.filter(deletesContent).length;
  const recent = facts.recentlyDeleted ?? 0;
  const together = files + recent;
  const paths = deletions.map((change) => change.path);
  const where = side === 'local' ? 'on this machine' : 'in the container';
  const there = side === 'local' ? 'in the container' : 'on this machine';
  const many = files > 0 && together > settings.files && together > (facts.files + recent) * settings.share;
  const minimum = emptiedMinimum[side];
  const hollow = files > 0 && facts.sourceHollow === true && together >= minimum;
  const emptied = (hollow || (deletions.length > 0 && facts.sourceEmpty)) && facts.agreed >= minimum;
  if (emptied) {
    const reason = `Everything was deleted ${there}; ${countOf(deletions.length)} would be deleted ${where}`;
    verdicts.push({ kind: 'brake', side, reason, paths });
  } else if (many) {
    const reason = `${countOf(files)} of ${facts.files} would be deleted ${where} at once${recent > 0 ? `, after ${countOf(recent)} just before` : ''}, because they are gone ${there}`;
    verdicts.push({ kind: 'brake', side, reason, paths });
  }
  return verdicts;
}

/** One batch that pushes its own first versions out of the laptop's trash would lose them. */
function trashCapVerdict(
  side: Side,
  changes: readonly Change[],
  trashCapBytes: number,
): BrakeVerdict | undefined {
  const victims = changes.filter((change) => side === 'local' || change.keep === 'laptop');
  const paths = victims.filter((change) => oldBytes(change) > 0).map(({ path }) => path);
  const bytes = victims.reduce((sum, change) => sum + oldBytes(change), 0);
  if (bytes <= trashCapBytes) return undefined;
  const where = side === 'local' ? 'on this machine' : 'in the container';
  const reason = `${countOf(paths.length)} with ${bytesText(bytes)} would be replaced or deleted ${where} at once, more than the trash keeps (${bytesText(trashCapBytes)})`;
  return { kind: 'trash-cap', side, reason, paths };
}

/** Bytes of content that a step replaces or removes, and that go to a trash. */
export function oldBytes(change: Change): number {
  const replaces = change.kind === 'put' || change.kind === 'delete' || change.kind === 'symlink';
  return replaces && change.expected?.kind === 'file' ? change.expected.size : 0;
}

/** An amount as people read it: 2 GiB, 1.5 MiB, 300 bytes. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [amount, unit] = [bytes, 0];
  for (; amount >= 1024 && unit < units.length - 1; unit++) amount /= 1024;
  return `${Number(amount.toFixed(1))} ${units[unit] ?? ''}`;
}

function firstSyncVerdict(victims: readonly Change[]): BrakeVerdict {
  const deleted = victims.filter((change) => change.kind === 'delete').length;
  const overwritten = victims.length - deleted;
  const parts = [
    ...(overwritten > 0 ? [`overwrite ${countOf(overwritten)}`] : []),
    ...(deleted > 0 ? [`delete ${countOf(deleted)}`] : []),
  ];
  return {
    kind: 'first-sync',
    side: 'local',
    reason: `The first sync would ${parts.join(' and ')} on this machine`,
    paths: victims.map((change) => change.path),
  };
}

function replacesContent(change: Change): boolean {
  return change.kind === 'delete' || (change.expected !== undefined && change.expected.kind !== 'directory');
}

function countOf(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}
