import type { Leftover } from '../../contract/leftovers.ts';
import { assertNever } from '../base/errors.ts';
import type { Leftover as SessionLeftover } from '../session/session.ts';
import { decideReplacement, type Replacement } from './devspace-replacement.ts';
import type { FoundLeftover } from './found-leftover.ts';

/** Annotations are anybody's text: no more of one is shown than a name may have. */
const maximumText = 253;

/** A leftover as a window shows it, with what can be done about it and why not. */
export function presentLeftover(found: FoundLeftover): Leftover {
  switch (found.kind) {
    case 'session':
      return presentSession(found.session);
    case 'replacement':
      return presentReplacement(found.replacement);
    default:
      return assertNever(found);
  }
}

function presentSession(item: SessionLeftover): Leftover {
  const { can, cannot } = abilities(item);
  return {
    namespace: item.namespace,
    target: shorten(item.target),
    tool: 'Slipway',
    user: shorten(item.user),
    machine: shorten(item.machine),
    since: isoTime(item.since),
    mine: item.mine,
    state: item.state,
    can,
    ...(cannot === undefined ? {} : { cannot }),
  };
}

function abilities(item: SessionLeftover): Pick<Leftover, 'can' | 'cannot'> {
  if (item.state === 'live') {
    const who = item.mine ? 'You run it yourself' : `${shorten(item.user)} runs it`;
    return {
      can: [],
      cannot: `${who} on ${shorten(item.machine)}: only a session that nobody runs is touched.`,
    };
  }
  if (item.record === undefined) {
    return {
      can: ['remove'],
      cannot: `What it changed cannot be read any more: scale ${shorten(item.target)} yourself, then remove the rest.`,
    };
  }
  return { can: ['restore', 'remove'] };
}

function presentReplacement(replacement: Replacement): Leftover {
  const { parent, devObject } = replacement;
  const decision = decideReplacement(replacement);
  const alone = parent === undefined ? 'the workload' : `${parent.kind}/${parent.name}`;
  return {
    namespace: replacement.namespace,
    target: parent === undefined ? `Deployment/${replacement.name}` : `${parent.kind}/${parent.name}`,
    tool: 'DevSpace',
    user: '',
    machine: '',
    since: isoTime(devObject?.metadata?.creationTimestamp),
    mine: false,
    state: 'no-lease',
    can: decision.kind === 'cannot' ? [] : ['restore'],
    cannot:
      decision.kind === 'cannot'
        ? `${decision.reason} DevSpace puts it back with "devspace reset pods".`
        : `Removing alone would leave ${alone} as it is now, so Restore does both.`,
  };
}

/** Times come from annotations: what is no time is left out. */
export function isoTime(value: string | Date | undefined): string {
  const time = value === undefined ? Number.NaN : new Date(value).getTime();
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}

export function shorten(text: string): string {
  const characters = [...text.slice(0, 2 * maximumText)];
  return characters.length <= maximumText
    ? characters.join('')
    : `${characters.slice(0, maximumText).join('')}…`;
}
