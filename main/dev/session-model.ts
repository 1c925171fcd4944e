import type { SessionPhase } from '../../contract/session-events.ts';
import {
  shownConflicts,
  shownTimeline,
  type ConflictNote,
  type ServiceHealth,
  type SessionDetail,
  type TimelineEntry,
} from '../../contract/sessions.ts';
import { assertNever } from '../base/errors.ts';
import type { SyncState } from '../sync/sync-event.ts';
import { serviceOf } from './service-label.ts';
import type { SessionNews } from './session-news.ts';
import { describeCommand } from './command-text.ts';
import { describeSession } from './session-sentence.ts';
import { describeState, levelOf, reasonText } from './sync-announcement.ts';

/** A session as its page shows it, and what is needed to go on from there. */
export interface SessionModel {
  readonly detail: SessionDetail;
  /** The latest state of each pair's engine. */
  readonly pairs: readonly (SyncState | undefined)[];
  /** Since when all pairs say that they are in sync; undefined while one of them does not. */
  readonly inSyncSince: string | undefined;
  /** Asked to leave the dev pod. */
  readonly keep: boolean;
  /** Numbers of the next timeline entry and the next conflict. */
  readonly next: { readonly timeline: number; readonly conflict: number };
}

/** What has happened, taken in: a new model whose unchanged parts are the same objects. */
export function reduceSession(model: SessionModel, news: SessionNews): SessionModel {
  return describeSession(take(model, news), news.at);
}

/** The same for many at once; the sentence is made once. */
export function reduceAll(model: SessionModel, news: readonly SessionNews[], at: number): SessionModel {
  return describeSession(news.reduce(take, model), at);
}

function take(model: SessionModel, news: SessionNews): SessionModel {
  const { detail } = model;
  switch (news.kind) {
    case 'event':
      return takeEvent(model, news.event, news.at);
    case 'container':
      return withDetail(model, { pod: news.pod, container: news.container });
    case 'ports':
      return withDetail(model, {
        ports: portsOf(news.ports),
        summary: { ...detail.summary, ports: news.ports.length },
      });
    case 'begun':
      return tell(withDetail(model, { changes: news.changes }), news.at, {
        kind: 'phase',
        level: 'info',
        text: 'The workload is replaced; its record is kept on the Lease.',
      });
    case 'changes':
      return withDetail(model, { changes: news.changes });
    case 'pair':
      return takePair(model, news);
    case 'conflict':
      return takeConflict(model, news);
    case 'swapped':
      return takeSwapped(model, news);
    case 'held':
      return tell(model, news.at, { kind: 'held', level: 'warn', text: `Held: ${news.reason}.` });
    case 'holds':
      return news.held === detail.held && news.total === detail.summary.held
        ? model
        : withDetail(model, { held: news.held, summary: { ...detail.summary, held: news.total } });
    case 'answered':
      return tell(model, news.at, { kind: 'answer', level: 'ok', text: news.message });
    case 'traffic': {
      const lastSyncAt = isoOfSecond(news.at);
      const summary =
        detail.summary.lastSyncAt === lastSyncAt ? detail.summary : { ...detail.summary, lastSyncAt };
      return withDetail(model, { up: news.up, down: news.down, summary });
    }
    case 'stopping':
      return takeStopping(model, news.at, news.keep);
    case 'over':
      return takeOver(model, news);
    default:
      return assertNever(news);
  }
}

type NewsEvent = Extract<SessionNews, { kind: 'event' }>['event'];

function takeEvent(model: SessionModel, event: NewsEvent, at: number): SessionModel {
  const { detail } = model;
  switch (event.event) {
    case 'phase': {
      const text = sentence(event.message);
      const reached = isOfEnd(event.phase) ? detail.reached : event.phase;
      if (event.phase === detail.phase && text === detail.progress) return model;
      return tell(withDetail(model, { phase: event.phase, progress: text, reached }), at, {
        kind: 'phase',
        level: 'info',
        text,
      });
    }
    case 'ready': {
      const { pod, container } = event;
      const summary = { ...detail.summary, stage: 'running' as const };
      const ready = withDetail(model, { pod, container, reached: 'ready', summary, progress: '' });
      return tell(ready, at, { kind: 'phase', level: 'ok', text: `Ready: both sides are alike in ${pod}.` });
    }
    case 'health':
      return takeHealth(model, event, at);
    case 'notice':
      return tell(model, at, { kind: 'notice', level: 'info', text: sentence(event.message) });
    case 'command':
      return takeCommand(model, event, at);
    case 'error':
      return tell(model, at, {
        kind: 'error',
        level: 'error',
        text: [event.message, event.cause, event.next].filter((part) => part !== '').join(' '),
      });
    case 'stopped': {
      const { restored, kept, remaining } = event;
      const level = remaining.length === 0 ? 'ok' : 'warn';
      const text = remaining.length === 0 ? 'Everything is put back.' : `Remains: ${remaining.join(' ')}`;
      return tell(withDetail(model, { result: { restored, kept, remaining } }), at, {
        kind: 'stopped',
        level,
        text,
      });
    }
    default:
      return assertNever(event);
  }
}

/** Its output comes with its end: piece by piece it would push everything else out of the timeline. */
function takeCommand(
  model: SessionModel,
  event: Extract<NewsEvent, { event: 'command' }>,
  at: number,
): SessionModel {
  if (event.state === 'output') return model;
  const level = ({ started: 'info', ended: 'ok', failed: 'warn', skipped: 'info' } as const)[event.state];
  return tell(model, at, { kind: 'notice', level, text: describeCommand(event) });
}

function takeHealth(
  model: SessionModel,
  event: Extract<NewsEvent, { event: 'health' }>,
  at: number,
): SessionModel {
  const { id, kind, label } = serviceOf(event.service, model.detail);
  const { state, message } = event;
  const before = model.detail.services[id];
  if (before?.state === state && before.message === message) return model;
  const since = before?.state === state ? before.since : iso(at);
  const service: ServiceHealth = { kind, label, state, message, since, restartable: false };
  const next = withService(model, id, service);
  const port = next.detail.ports[id];
  const ported =
    port === undefined
      ? next
      : withDetail(next, { ports: { ...next.detail.ports, [id]: { ...port, state, message } } });
  if (before?.state === state && state === 'active') return ported;
  return tell(ported, at, { kind: 'health', level: levelOf(state), text: `${label}: ${sentence(message)}` });
}

function takePair(model: SessionModel, news: Extract<SessionNews, { kind: 'pair' }>): SessionModel {
  const { pair, state, files, at } = news;
  const paths = model.detail.pairs[pair];
  const label = paths === undefined ? 'Sync' : `Sync ${baseName(paths.local)} ↔ ${paths.remote}`;
  const id = `sync:${pair}`;
  const before = model.detail.services[id];
  const { state: health, message } = describeState(state);
  const counted =
    state.kind === 'in-sync' && files !== undefined
      ? `${message}, ${files.toLocaleString('en')} ${files === 1 ? 'file' : 'files'}`
      : message;
  const since = before?.state === health ? before.since : iso(at);
  const pairs = model.pairs.with(pair, state);
  const allIn = pairs.every((each) => each?.kind === 'in-sync');
  const inSyncSince = allIn ? (model.inSyncSince ?? iso(at)) : undefined;
  const changed = before?.state !== health || before.message !== counted;
  const service: ServiceHealth = {
    kind: 'sync',
    label,
    state: health,
    message: counted,
    since,
    restartable: true,
  };
  const next = changed
    ? withService({ ...model, pairs, inSyncSince }, id, service)
    : { ...model, pairs, inSyncSince };
  const former = model.pairs[pair];
  if (!isTurn(former, state)) return next;
  return tell(next, at, { kind: 'health', level: levelOf(health), text: `${label}: ${sentence(message)}` });
}

/** What belongs into a timeline: trouble and its end, not each edit. */
function isTurn(before: SyncState | undefined, now: SyncState): boolean {
  if (now.kind === 'syncing' || now.kind === 'stopped') return false;
  if (before === undefined) return true;
  if (now.kind === 'in-sync') return before.kind !== 'syncing' && before.kind !== 'in-sync';
  if (now.kind === 'scanning' || now.kind === 'comparing') return false;
  return before.kind !== now.kind || reasonText(before) !== reasonText(now);
}

function takeConflict(model: SessionModel, news: Extract<SessionNews, { kind: 'conflict' }>): SessionModel {
  const { pair, path, winner, loser, message, at } = news;
  const note: ConflictNote = {
    path,
    pair,
    winner,
    ...(loser === undefined ? {} : { loser }),
    message,
    at: iso(at),
  };
  const key = model.next.conflict;
  const conflicts = appended(model.detail.conflicts, key, note, shownConflicts);
  const summary = { ...model.detail.summary, conflicts: key + 1 };
  const next = { ...withDetail(model, { conflicts, summary }), next: { ...model.next, conflict: key + 1 } };
  return tell(next, at, { kind: 'conflict', level: 'warn', text: message });
}

function takeSwapped(model: SessionModel, news: Extract<SessionNews, { kind: 'swapped' }>): SessionModel {
  const { conflict, message, at } = news;
  const note = model.detail.conflicts[conflict];
  if (note === undefined || note.winner === 'none') return model;
  const winner = note.winner === 'local' ? 'remote' : 'local';
  const swapped: ConflictNote = { ...note, winner, loser: 'trashed', message, swappedAt: iso(at) };
  const next = withDetail(model, { conflicts: { ...model.detail.conflicts, [conflict]: swapped } });
  return tell(next, at, { kind: 'answer', level: 'ok', text: message });
}

function takeStopping(model: SessionModel, at: number, keep: boolean): SessionModel {
  const summary = { ...model.detail.summary, stage: 'stopping' as const };
  const text = keep ? 'Stop was asked for; the dev pod stays.' : 'Stop and restore was asked for.';
  return tell({ ...withDetail(model, { summary }), keep }, at, { kind: 'phase', level: 'info', text });
}

function takeOver(model: SessionModel, { error, at }: Extract<SessionNews, { kind: 'over' }>): SessionModel {
  const result = model.detail.result ?? { restored: [], kept: [], remaining: [] };
  const remains = result.remaining.length > 0 || error?.code === 'session.restore-incomplete';
  const stage = remains ? ('left' as const) : error === undefined ? ('ended' as const) : ('failed' as const);
  const next = withDetail(model, {
    summary: { ...model.detail.summary, stage, held: 0, ports: 0 },
    result: error === undefined ? result : { ...result, error },
    held: {},
    ports: {},
    services: {},
    progress: '',
  });
  if (error === undefined) return next;
  const text = [error.message, error.cause].filter((part) => part !== '').join(' ');
  return tell(next, at, { kind: 'error', level: 'error', text });
}

function withDetail(model: SessionModel, change: Partial<SessionDetail>): SessionModel {
  return { ...model, detail: { ...model.detail, ...change } };
}

function withService(model: SessionModel, id: string, service: ServiceHealth): SessionModel {
  return withDetail(model, { services: { ...model.detail.services, [id]: service } });
}

function tell(model: SessionModel, at: number, entry: Omit<TimelineEntry, 'at'>): SessionModel {
  const key = model.next.timeline;
  const timeline = appended(model.detail.timeline, key, { ...entry, at: iso(at) }, shownTimeline);
  return { ...withDetail(model, { timeline }), next: { ...model.next, timeline: key + 1 } };
}

/** Adds under a rising number and drops what that pushes out. */
function appended<Value>(
  record: Readonly<Record<string, Value>>,
  key: number,
  value: Value,
  limit: number,
): Readonly<Record<string, Value>> {
  const kept = { ...record, [key]: value };
  Reflect.deleteProperty(kept, key - limit);
  return kept;
}

function portsOf(ports: Extract<SessionNews, { kind: 'ports' }>['ports']): SessionDetail['ports'] {
  return Object.fromEntries(
    ports.map(({ local, remote, addresses }) => [
      `forward:${local}`,
      { local, remote, addresses, state: 'starting' as const, message: 'bound; no pod yet' },
    ]),
  );
}

function isOfEnd(phase: SessionPhase): boolean {
  return phase === 'stop' || phase === 'restore';
}

/** Starts with a capital and ends with a stop, as a sentence of its own; a name at its beginning stays as it is. */
function sentence(text: string): string {
  const first = /^[a-z]+(?:[ ,;:]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(first) || first === '' ? first : `${first}.`;
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) || path;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** To the second, so that it changes at most once in one. */
function isoOfSecond(at: number): string {
  return iso(Math.floor(at / 1000) * 1000);
}
