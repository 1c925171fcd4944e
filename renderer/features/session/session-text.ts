import type {
  ClusterChange,
  FileState,
  HeldWork,
  ServiceHealth,
  SessionDetail,
  TimelineEntry,
} from '../../../contract/sessions.ts';
import type { Tone } from '../../ui/badge.tsx';

export function toneOfService(state: ServiceHealth['state']): Tone {
  return ({ starting: 'info', active: 'ok', reconnecting: 'warn', paused: 'warn', failed: 'error' } as const)[
    state
  ];
}

export function wordOfService(state: ServiceHealth['state']): string {
  return {
    starting: 'Starting',
    active: 'Healthy',
    reconnecting: 'Connecting again',
    paused: 'Paused',
    failed: 'Failed',
  }[state];
}

export function toneOfLevel(level: TimelineEntry['level']): Tone {
  return ({ info: 'neutral', ok: 'ok', warn: 'warn', error: 'error' } as const)[level];
}

export const fileStates: Readonly<Record<FileState, { readonly label: string; readonly tone: Tone }>> = {
  same: { label: 'Alike', tone: 'ok' },
  waiting: { label: 'Waiting', tone: 'info' },
  held: { label: 'Held', tone: 'warn' },
  conflict: { label: 'Conflict', tone: 'error' },
  different: { label: 'Left different', tone: 'neutral' },
  excluded: { label: 'Excluded', tone: 'neutral' },
  new: { label: 'Not compared yet', tone: 'info' },
};

export interface HeldChoiceText {
  readonly choice: HeldWork['choices'][number];
  readonly label: string;
  /** What becomes of the files. */
  readonly effect: string;
  /** Something may be lost or run: asked again with the list. */
  readonly danger: boolean;
}

type Choice = HeldWork['choices'][number];

const choiceTexts: Readonly<
  Record<HeldWork['kind'], Partial<Record<Choice, Omit<HeldChoiceText, 'choice'>>>>
> = {
  brake: {
    restore: {
      label: 'Bring Them Back',
      effect: 'The side where they are gone gets them again.',
      danger: false,
    },
    leave: { label: 'Leave Both Sides', effect: 'Nothing is changed; they stay different.', danger: false },
    apply: {
      label: 'Delete Them',
      effect: 'They are deleted on the other side too; files of this machine go to the trash.',
      danger: true,
    },
  },
  'first-sync': {
    restore: {
      label: 'Keep This Machine’s',
      effect: 'The container gets the versions of this machine.',
      danger: false,
    },
    leave: { label: 'Leave Both Sides', effect: 'Nothing is changed; they stay different.', danger: false },
    apply: {
      label: 'Take the Container’s',
      effect: 'Files of this machine are overwritten or deleted; their versions go to the trash.',
      danger: true,
    },
  },
  consent: {
    leave: { label: 'Leave Them Out', effect: 'They stay in the container alone.', danger: false },
    apply: {
      label: 'Accept the Files',
      effect: 'They come to this machine, where programs run them.',
      danger: true,
    },
  },
  conflict: {
    local: {
      label: 'Keep This Machine’s',
      effect: 'The container’s version goes to the trash.',
      danger: false,
    },
    remote: {
      label: 'Take the Container’s',
      effect: 'This machine’s version goes to the trash.',
      danger: false,
    },
    leave: { label: 'Leave Both', effect: 'Both versions stay as they are.', danger: false },
  },
  'trash-cap': {
    restore: {
      label: 'Keep This Machine’s',
      effect: 'What would be replaced or deleted stays, and goes back to the container.',
      danger: false,
    },
    leave: { label: 'Leave Both Sides', effect: 'Nothing is changed; they stay different.', danger: false },
    apply: {
      label: 'Do It All the Same',
      effect: 'The oldest versions in the trash make room, and some of these may not fit.',
      danger: true,
    },
  },
};

/** The answers to held work as buttons, the harmless ones first. */
export function choicesOf(work: Pick<HeldWork, 'kind' | 'choices'>): readonly HeldChoiceText[] {
  const texts = choiceTexts[work.kind];
  return (Object.keys(texts) as Choice[]).flatMap((choice) => {
    const text = texts[choice];
    return text !== undefined && work.choices.includes(choice) ? [{ choice, ...text }] : [];
  });
}

export function titleOfHeld({ kind, count }: Pick<HeldWork, 'kind' | 'count'>): string {
  const paths = `${count.toLocaleString('en')} ${count === 1 ? 'path' : 'paths'}`;
  switch (kind) {
    case 'brake':
      return `${paths} would be deleted`;
    case 'first-sync':
      return `${paths} of this machine would change`;
    case 'consent':
      return `${paths} that this machine would run`;
    case 'conflict':
      return 'Changed on both sides';
    case 'trash-cap':
      return `${paths} do not fit into the trash`;
  }
}

/** What Stop does, before it is done: one line each. */
export function stopPreview(detail: Pick<SessionDetail, 'changes' | 'ports' | 'pairs'>): readonly string[] {
  const lines = detail.pairs.map(
    ({ local, remote }) => `The sync of ${local} with ${remote} ends; no file is removed here.`,
  );
  const ports = Object.values(detail.ports).map(({ local }) => local);
  if (ports.length > 0)
    lines.push(
      `${ports.length === 1 ? 'Port' : 'Ports'} ${ports.join(', ')} of this machine ${ports.length === 1 ? 'is' : 'are'} free again.`,
    );
  return [
    ...lines,
    ...Object.values(detail.changes)
      .filter(({ state }) => state === 'made')
      .map(undone),
  ];
}

function undone({ object, what, from, to }: ClusterChange): string {
  return what === 'created' ? `${object} is removed.` : `${object}: ${what} goes from ${to} back to ${from}.`;
}

/** The time of day to the second; `at` in milliseconds. */
export function clockSeconds(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** As a sentence of its own; a name at its beginning stays as it is. */
function capital(text: string): string {
  return /^[a-z]+(?:[ ,;:]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

export function countText(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** What a service says, as a sentence; what it said last while nobody tells of it. */
export function lastKnown(message: string, stale: boolean): string {
  return stale && message !== '' ? `Last known: ${message}` : capital(message);
}
