import type { AccessAnswer, Kube, ServerVersion } from '../kube.ts';
import { channels, requiredRights, type Channel, type Right, type TargetKind } from './rights.ts';

/** How many access reviews are under way at once. */
export const concurrentReviews = 8;

export interface AnsweredRight extends Right {
  readonly answer: AccessAnswer;
}

export type Verdict = 'allowed' | 'missing' | 'unknown';

export interface ChannelRights {
  readonly channel: Channel;
  readonly rights: readonly AnsweredRight[];
  /** `missing` when a right that is not optional is denied; `unknown` when none is and one could not be found out. */
  readonly verdict: Verdict;
}

export interface PreflightOptions {
  readonly namespace: string;
  readonly targetKind: TargetKind;
  readonly targetName?: string | undefined;
  readonly serverVersion: Pick<ServerVersion, 'major' | 'minor'>;
  /** All of them unless said otherwise. */
  readonly channels?: readonly Channel[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks for every right of every channel, each only once, and judges the channels. Changes nothing in the cluster. */
export async function preflight(
  kube: Pick<Kube, 'review'>,
  options: PreflightOptions,
): Promise<readonly ChannelRights[]> {
  const { namespace, signal } = options;
  const wanted = (options.channels ?? channels).map((channel) => ({
    channel,
    rights: requiredRights({ ...options, channel }),
  }));
  const questions = new Map(
    wanted.flatMap(({ rights }) => rights.map((right) => [keyOf(right), right] as const)),
  );
  const answers = new Map<string, AccessAnswer>();
  const queue = [...questions];
  const ask = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [key, { verb, group, resource, subresource, name }] = next;
      answers.set(
        key,
        await kube.review({ verb, group, resource, subresource, name, namespace }, { signal }),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrentReviews }, ask));
  return wanted.map(({ channel, rights }) =>
    judgeChannel(
      channel,
      rights.map((right) => ({ ...right, answer: answers.get(keyOf(right)) ?? notAsked })),
    ),
  );
}

const notAsked: AccessAnswer = { kind: 'unknown', reason: 'It was not asked.' };

export function judgeChannel(channel: Channel, rights: readonly AnsweredRight[]): ChannelRights {
  const needed = rights.filter((right) => !right.optional);
  const verdict = needed.some((right) => right.answer.kind === 'denied')
    ? 'missing'
    : needed.some((right) => right.answer.kind === 'unknown')
      ? 'unknown'
      : 'allowed';
  return { channel, rights, verdict };
}

/** The rights that are denied, each once, optional ones left out. */
export function missingRights(matrix: readonly ChannelRights[]): readonly AnsweredRight[] {
  const missing = matrix.flatMap(({ rights }) =>
    rights.filter((right) => !right.optional && right.answer.kind === 'denied'),
  );
  return [...new Map(missing.map((right) => [keyOf(right), right])).values()];
}

/** A right as people write it: `get deployments.apps/scale "web"`. */
export function describeRight(right: Right): string {
  const group = right.group === '' ? '' : `.${right.group}`;
  const subresource = right.subresource === undefined ? '' : `/${right.subresource}`;
  const name = right.name === undefined ? '' : ` "${right.name}"`;
  return `${right.verb} ${right.resource}${group}${subresource}${name}`;
}

function keyOf(right: Right): string {
  return JSON.stringify([right.verb, right.group, right.resource, right.subresource ?? '', right.name ?? '']);
}
