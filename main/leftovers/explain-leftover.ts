import type { OutputOf } from '../../contract/api.ts';
import { assertNever } from '../base/errors.ts';
import type { Leftover as SessionLeftover } from '../session/session.ts';
import {
  decideReplacement,
  describeReplacement,
  devSpaceMarks,
  type Replacement,
} from './devspace-replacement.ts';
import type { FoundLeftover } from './found-leftover.ts';
import { isoTime, shorten } from './present-leftover.ts';
import { copyableCommand } from './copyable-command.ts';

type Explanation = OutputOf<'leftovers.explain'>;

/** What commands have to say so that they reach the same cluster. */
export interface CommandPlace {
  readonly context: string;
  /** Only where it is not found without being named. */
  readonly kubeconfig: string | undefined;
}

/**
 * What it is, who left it, and commands that look at it and put it back. Times stand as `{{ISO 8601}}`, for the
 * window to write them as its user reads times.
 */
export function explainLeftover(found: FoundLeftover, place: CommandPlace): Explanation {
  switch (found.kind) {
    case 'session':
      return explainSession(found.session, place);
    case 'replacement':
      return explainReplacement(found.replacement, place);
    default:
      return assertNever(found);
  }
}

function explainSession(item: SessionLeftover, place: CommandPlace): Explanation {
  const { record, lease, devObject } = item;
  const since = isoTime(item.since);
  const devName = devObject?.metadata?.name ?? record?.devObject.name;
  const leaseName = lease?.metadata?.name;
  const [change] = record?.changes ?? [];
  const lines = [
    `A Slipway session of ${shorten(item.user)} on ${shorten(item.machine)}${since === '' ? '' : `, since {{${since}}}`}.`,
    stateSentence(item),
    ...(record === undefined
      ? ['The record of what it changed is missing or damaged, so nothing can be put back from it.']
      : [
          `It replaced the pods of ${record.target.kind}/${record.target.name}, container ${record.container}, for the project ${shorten(record.project)}.`,
          change === undefined
            ? 'It changed no field of the workload.'
            : `It set spec.replicas from ${change.from} to ${change.to}; that alone was changed.`,
        ]),
    ...(devName === undefined ? [] : [`Its dev pod belongs to Deployment ${devName}.`]),
    leaseName === undefined ? 'It has no Lease any more.' : `Its Lease is ${leaseName}.`,
    `Everything of it carries the label slipway.dev/session=${item.session}.`,
  ];
  const { namespace } = item;
  const kubectl = (...words: readonly string[]): string | undefined =>
    copyableCommand(['kubectl', ...flagsOf(place, '--context'), '-n', namespace, ...words]);
  return {
    lines,
    commands: defined([
      kubectl('get', 'lease,deployment,replicaset,pod', '-l', `slipway.dev/session=${item.session}`),
      leaseName === undefined ? undefined : kubectl('get', 'lease', leaseName, '-o', 'yaml'),
      record === undefined
        ? undefined
        : kubectl('get', 'deployment', record.target.name, '-o', 'yaml', '--show-managed-fields'),
      copyableCommand(['slipway', 'leftovers', ...flagsOf(place), '-n', namespace]),
      item.state === 'live' || record === undefined
        ? undefined
        : copyableCommand([
            ...['slipway', 'reset', 'pods', ...flagsOf(place), '-n', namespace],
            ...(item.mine ? [] : ['--force']),
          ]),
    ]),
  };
}

function stateSentence(item: SessionLeftover): string {
  const heard = item.silentMs === undefined ? '' : ` It was last heard of ${roughly(item.silentMs)} ago.`;
  switch (item.state) {
    case 'live':
      return 'A process runs it now and renews its Lease.';
    case 'dead':
      return `Nobody runs it any more: its Lease is not renewed.${heard}`;
    case 'no-lease':
      return 'Nobody runs it any more: somebody removed its Lease.';
    case 'ledger-only':
      return 'Nothing of it is in the cluster but what it changed: only the note on this machine knows of it.';
    default:
      return assertNever(item.state);
  }
}

/** A length of time in one unit, like "3 h". */
function roughly(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

function explainReplacement(replacement: Replacement, place: CommandPlace): Explanation {
  const { namespace, devObject, parent, name } = replacement;
  const decision = decideReplacement(replacement);
  const since = isoTime(devObject?.metadata?.creationTimestamp);
  const lines = [
    devObject === undefined
      ? `DevSpace scaled ${name} to 0 and noted how many replicas it had; its dev Deployment is gone.`
      : `DevSpace put Deployment ${name} beside ${parent === undefined ? 'a workload' : `${parent.kind}/${parent.name}`}${since === '' ? '' : ` at {{${since}}}`}.`,
    'DevSpace writes neither who did it nor a sign of life, so nobody can tell from here whether somebody works in it.',
    decision.kind === 'cannot'
      ? `It cannot be put back from here: ${decision.reason}`
      : `Restoring would: ${describeReplacement(replacement).join('; ')}.`,
    `DevSpace's own record (a Secret devspace-cache-… in the namespace) is not touched; "devspace reset pods" corrects it.`,
  ];
  const kubectl = (...words: readonly string[]): string | undefined =>
    copyableCommand(['kubectl', ...flagsOf(place, '--context'), '-n', namespace, ...words]);
  return {
    lines,
    commands: defined([
      kubectl('get', 'deployment,pod', '-l', `${devSpaceMarks.replaced}=true`),
      devObject === undefined ? undefined : kubectl('describe', 'deployment', name),
      parent === undefined ? undefined : kubectl('get', parent.kind.toLowerCase(), parent.name, '-o', 'yaml'),
      copyableCommand(['devspace', 'reset', 'pods', ...flagsOf(place), '-n', namespace]),
    ]),
  };
}

function flagsOf(
  { context, kubeconfig }: CommandPlace,
  contextFlag: '--context' | '--kube-context' = '--kube-context',
): readonly string[] {
  return [contextFlag, context, ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig])];
}

function defined(commands: readonly (string | undefined)[]): readonly string[] {
  return commands.filter((command) => command !== undefined);
}
