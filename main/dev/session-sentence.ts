import type { Health, SessionSummary } from '../../contract/sessions.ts';
import { assertNever } from '../base/errors.ts';
import type { SyncState } from '../sync/sync-event.ts';
import type { SessionModel } from './session-model.ts';
import { reasonText } from './sync-announcement.ts';

type Spoken = Pick<SessionSummary, 'health' | 'sentence'>;

/** Writes the one sentence and the health into a model's summary; the same model when they are as before. */
export function describeSession(model: SessionModel, at: number): SessionModel {
  const { summary } = model.detail;
  const { health, sentence } = speak(model, at);
  if (summary.health === health && summary.sentence === sentence) return model;
  return { ...model, detail: { ...model.detail, summary: { ...summary, health, sentence } } };
}

function speak(model: SessionModel, at: number): Spoken {
  const { detail, keep } = model;
  const { stage, sentence } = detail.summary;
  switch (stage) {
    case 'starting':
      return { health: 'busy', sentence: speakOfStart(model) };
    case 'running':
      return speakOfRun(model);
    case 'stopping':
      return { health: 'busy', sentence: `Stopping: ${lower(detail.progress) || 'ending sync and ports'}` };
    case 'ended':
    case 'left':
    case 'failed':
      // Said once: the time in it is when it was over.
      return isOver(detail.summary.health, sentence) ? detail.summary : speakOfEnd(model, stage, at, keep);
    default:
      return assertNever(stage);
  }
}

function speakOfStart({ detail }: SessionModel): string {
  const files = detail.up.files + detail.down.files;
  if (detail.phase === 'sync' && files > 0) return `First sync: ${count(files, 'file')} so far`;
  return `Starting: ${lower(detail.progress) || 'looking at both sides'}`;
}

/** Only the engines may say "in sync"; whatever else is wrong is said in its place or beside it. */
function speakOfRun(model: SessionModel): Spoken {
  const sync = speakOfSync(model.pairs, model.inSyncSince);
  const { services } = model.detail;
  const { lease } = services;
  if (lease?.state === 'failed') return { health: 'error', sentence: `Lost: ${lease.message}` };
  if (sync.health === 'error' || sync.health === 'busy') return sync;
  const trouble = Object.values(services).filter(
    ({ kind, state }) => kind !== 'sync' && (state === 'failed' || state === 'reconnecting'),
  );
  const [first] = trouble;
  if (first === undefined) return sync;
  const what =
    trouble.length === 1 ? `${first.label} needs a look` : `${trouble.length} services need a look`;
  return { health: 'attention', sentence: `${sync.sentence}; ${what}` };
}

function speakOfSync(pairs: readonly (SyncState | undefined)[], inSyncSince: string | undefined): Spoken {
  const states = pairs.filter((state) => state !== undefined);
  const failed = states.find(({ kind }) => kind === 'failed');
  if (failed !== undefined) return { health: 'error', sentence: `Sync ended: ${reasonText(failed)}` };
  const paused = states.find(({ kind }) => kind === 'paused');
  if (paused !== undefined) return { health: 'error', sentence: `Paused: ${reasonText(paused)}` };
  const connecting = states.find((state) => state.kind === 'connecting');
  if (connecting !== undefined) {
    const reason = reasonText(connecting);
    return { health: 'busy', sentence: reason === '' ? 'Connecting' : `Connecting again: ${reason}` };
  }
  if (states.some(({ kind }) => kind === 'scanning'))
    return { health: 'busy', sentence: 'Reading both sides' };
  if (states.some(({ kind }) => kind === 'comparing'))
    return { health: 'busy', sentence: 'Comparing both sides' };
  const remaining = sum(states, (state) => (state.kind === 'syncing' ? state.remaining : 0));
  if (states.some(({ kind }) => kind === 'syncing'))
    return { health: 'busy', sentence: `${count(remaining, 'file')} behind` };
  if (inSyncSince === undefined || states.length < pairs.length)
    return { health: 'busy', sentence: 'Looking at both sides' };
  const held = sum(states, (state) => (state.kind === 'in-sync' ? state.held : 0));
  return held === 0
    ? { health: 'ok', sentence: `In sync since {{${inSyncSince}}}` }
    : { health: 'attention', sentence: `In sync since {{${inSyncSince}}}, except ${held} held` };
}

function speakOfEnd(
  model: SessionModel,
  stage: 'ended' | 'left' | 'failed',
  at: number,
  keep: boolean,
): Spoken {
  const { result } = model.detail;
  const when = `{{${new Date(at).toISOString()}}}`;
  const error = result?.error;
  if (stage === 'failed') {
    const back = (result?.restored.length ?? 0) > 0 ? '; everything was put back' : '';
    return {
      health: 'error',
      sentence: `Failed ${when}: ${stopless(error?.message ?? 'it could not go on')}${back}`,
    };
  }
  if (stage === 'left') {
    if (keep && error === undefined)
      return { health: 'attention', sentence: `Ended ${when}; the dev pod stays` };
    const things = count(Math.max(1, result?.remaining.length ?? 0), 'thing');
    return { health: 'attention', sentence: `Ended ${when}; ${things} left in the cluster` };
  }
  const kept = result?.kept.length ?? 0;
  return {
    health: 'idle',
    sentence:
      kept === 0
        ? `Ended ${when}; everything is as it was`
        : `Ended ${when}; everything of ours is put back, ${count(kept, 'change')} of others kept`,
  };
}

function isOver(health: Health, sentence: string): boolean {
  return health !== 'busy' && /^(?:Ended|Failed) \{\{/.test(sentence);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

/** As the middle of a sentence: no stop, and no capital unless it is a name. */
function lower(text: string): string {
  const first = text.charAt(0);
  const isWord = /^[A-Z][a-z]+(?: |$)/.test(text);
  return stopless((isWord ? first.toLowerCase() : first) + text.slice(1));
}

function stopless(text: string): string {
  return text.replace(/\.$/, '');
}
