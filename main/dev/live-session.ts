import type { ConflictNote, HeldWork, SessionDetail } from '../../contract/sessions.ts';
import type { Clock } from '../base/clock.ts';
import { isCancellation, isSlipwayError, SlipwayError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { Store } from '../base/store.ts';
import type { LinkHealth } from '../helper/connection.ts';
import type { Kube } from '../kube/kube.ts';
import type { RestoreReport, Session } from '../session/session.ts';
import type { PairView } from '../sync/pair-view.ts';
import type { HeldChoice, SyncEvent } from '../sync/sync-event.ts';
import { ActivityRing } from './activity-ring.ts';
import { changesAfter, changesOf, replicasChange, type RecordKnowledge } from './cluster-changes.ts';
import { conflictText } from './conflict-text.ts';
import { describeAnswer, HeldMirror, parseHeldKey } from './held-work.ts';
import type { PodSource } from './pod-source.ts';
import type { DevObserver } from './run-dev.ts';
import type { PairSync } from './services.ts';
import type { SessionEvent } from '../../contract/session-events.ts';
import { reduceAll, type SessionModel } from './session-model.ts';
import type { SessionNews } from './session-news.ts';

/** How long news waits for more of it, so that thousands of events a second are a few changes of state. */
export const gatherMs = 80;
/** News that is kept for one change; what is more is counted and told as a number. */
const gatheredNews = 400;
/** Paths of one hold that are told among the files. */
const shownUnsent = 20;
/** Answers that are remembered, so that the same answer given twice is no error. */
const rememberedAnswers = 500;

export interface LiveSessionParts {
  readonly clock: Clock;
  readonly knowledge: RecordKnowledge;
  readonly cluster: string;
  readonly initial: SessionDetail;
}

/** What a terminal or a log needs of a session. */
export interface SessionReach {
  readonly kube: Kube;
  readonly cluster: string;
  readonly namespace: string;
  readonly devName: string;
  /** The dev container as it runs now, and when it is another one. */
  readonly source: PodSource;
}

/** One session of this app, from Start until it is forgotten: what its page shows, and what may be asked of it. */
export class LiveSession implements DevObserver {
  readonly id: string;
  readonly cluster: string;
  readonly detail: Store<SessionDetail>;
  readonly activity = new ActivityRing();
  readonly #added = new Emitter<void>();
  /** Files were added to the ring. */
  readonly onActivity = this.#added.event;
  readonly #parts: LiveSessionParts;
  readonly #stop = new AbortController();
  readonly #over = Promise.withResolvers<void>();
  readonly #mirror = new HeldMirror();
  readonly #answers = new Map<string, HeldChoice>();
  readonly #syncs: PairSync[] = [];
  readonly #up = { files: 0, bytes: 0 };
  readonly #down = { files: 0, bytes: 0 };
  #model: SessionModel;
  #news: SessionNews[] = [];
  #leftOut = 0;
  #gathering: Disposable | undefined;
  #trafficAt: number | undefined;
  #session: Session | undefined;
  #source: PodSource | undefined;
  #following: Disposable | undefined;
  #kube: Kube | undefined;
  keep = false;

  constructor(parts: LiveSessionParts) {
    this.#parts = parts;
    this.id = parts.initial.summary.id;
    this.cluster = parts.cluster;
    this.detail = new Store(parts.initial);
    this.#model = {
      detail: parts.initial,
      pairs: [undefined],
      inSyncSince: undefined,
      keep: false,
      next: { timeline: 0, conflict: 0 },
    };
  }

  get isOver(): boolean {
    const { stage } = this.detail.value.summary;
    return stage === 'ended' || stage === 'left' || stage === 'failed';
  }

  /** Resolves when it is over, however it ended. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** What the cluster knows it by; undefined before it has begun there. */
  get clusterSession(): string | undefined {
    return this.#session?.id;
  }

  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  get reach(): SessionReach | undefined {
    if (this.#kube === undefined || this.#source === undefined || this.isOver) return undefined;
    const { devName, summary } = this.detail.value;
    const { cluster } = this;
    return { kube: this.#kube, cluster, namespace: summary.namespace, devName, source: this.#source };
  }

  /** The pair of that number; throws where there is none (yet, or any more). */
  view(pair: number): PairView {
    const view = this.#syncs[pair]?.view;
    if (view !== undefined && !this.isOver) return view;
    throw new SlipwayError({
      code: 'session.not-found',
      message: this.isOver ? 'This session is over.' : 'The folder is not open yet.',
      cause: this.isOver ? 'Its folder is not watched any more.' : 'The session is still starting.',
      next: this.isOver ? 'Start a new session.' : 'Try again in a moment.',
    });
  }

  get views(): readonly PairView[] {
    return this.#syncs.flatMap(({ view }) => view ?? []);
  }

  /** Begins the end; whatever is asked for after that changes nothing. */
  requestStop(keep: boolean): void {
    if (this.isOver || this.#stop.signal.aborted) return;
    this.keep = keep;
    this.#add({ kind: 'stopping', keep, at: this.#now });
    this.#flush();
    this.#stop.abort(new DOMException('The session was stopped', 'AbortError'));
  }

  nudge(): void {
    for (const view of this.views) view.nudge();
  }

  answer(key: string, choice: HeldChoice): string {
    const place = parseHeldKey(key);
    const sync = place === undefined ? undefined : this.#syncs[place.pair];
    const hold = sync?.view?.held.find(({ id }) => id === place?.id);
    if (place === undefined || sync === undefined || hold === undefined)
      return this.#answeredBefore(key, choice);
    if (!hold.choices.includes(choice)) {
      throw new SlipwayError({
        code: 'usage.invalid',
        message: `"${choice}" is no answer to this.`,
        cause: `It can be answered with ${hold.choices.join(', ')}.`,
        next: 'Choose one of them.',
      });
    }
    if (!sync.resolveHeld(place.id, choice)) {
      throw new SlipwayError({
        code: 'helper.lost',
        message: 'The answer was not taken: there is no connection to the container now.',
        cause: 'Nothing was changed on either side.',
        next: 'Answer again as soon as it is connected.',
      });
    }
    this.#answers.set(key, choice);
    for (const old of this.#answers.keys()) {
      if (this.#answers.size <= rememberedAnswers) break;
      this.#answers.delete(old);
    }
    const message = describeAnswer(hold, choice);
    this.#add({ kind: 'answered', message, at: this.#now });
    return message;
  }

  heldPaths(key: string): readonly string[] {
    return this.heldView(key)?.paths ?? [];
  }

  /** Held work with the pair that holds it; undefined when it is answered or has gone. */
  heldView(key: string): { readonly paths: readonly string[]; readonly view: PairView } | undefined {
    const place = parseHeldKey(key);
    const view = place === undefined ? undefined : this.#syncs[place.pair]?.view;
    const hold = view?.held.find(({ id }) => id === place?.id);
    return view === undefined || hold === undefined ? undefined : { paths: hold.paths, view };
  }

  /** What was told of a conflict; throws where that is too long ago or never was. */
  conflict(key: string): ConflictNote {
    const note = this.detail.value.conflicts[key];
    if (note !== undefined) return note;
    throw new SlipwayError({
      code: 'usage.invalid',
      message: 'This conflict is not known any more.',
      cause: 'The latest ones are kept; a version that lost stays in the trash.',
      next: 'Look for its path in the trash.',
    });
  }

  /** The other version of a settled conflict was put in the place of the winner. */
  swapped(conflict: string, message: string): void {
    this.#add({ kind: 'swapped', conflict, message, at: this.#now });
    this.#flush();
  }

  /** How the connections of a pair are; undefined while there are none. */
  linkOf(pair: number): LinkHealth | undefined {
    return this.#syncs[pair]?.view?.link();
  }

  /** The latest state of each pair's engine. */
  get syncStates(): SessionModel['pairs'] {
    return this.#model.pairs;
  }

  /** Puts one change back alone. */
  async restoreChange(key: string, signal?: AbortSignal): Promise<string> {
    const change = this.detail.value.changes[key];
    const session = this.#session;
    if (change?.state !== 'made' || !change.restorable || session === undefined || key !== replicasChange) {
      throw new SlipwayError({
        code: 'usage.invalid',
        message: 'This change is not put back while the session goes on.',
        cause: change?.note ?? 'There is no such change.',
        next: 'Stop the session, which puts everything back.',
      });
    }
    const outcome = await session.restoreReplicas(signal === undefined ? {} : { signal });
    const note = noteOf(outcome);
    const state = outcome.kind === 'kept' ? ('kept' as const) : ('restored' as const);
    const changes = {
      ...this.#model.detail.changes,
      [key]: { ...change, state, note, restorable: false },
    };
    this.#add({ kind: 'changes', changes, at: this.#now });
    this.#add({ kind: 'answered', message: `${change.object}: ${note}`, at: this.#now });
    this.#flush();
    return note;
  }

  connected(kube: Kube): void {
    this.#kube = kube;
  }

  opened(pairs: SessionDetail['pairs'], commandLine: string): void {
    const detail = { ...this.#model.detail, pairs, commandLine };
    this.#model = { ...this.#model, detail, pairs: pairs.map(() => undefined) };
    this.detail.set(detail);
  }

  emit(event: SessionEvent): void {
    if (event.event === 'sync' || event.event === 'conflict' || event.event === 'held') return;
    this.#add({ kind: 'event', event, at: this.#now });
  }

  source(source: PodSource): void {
    this.#source = source;
    this.#following?.[Symbol.dispose]();
    this.#following = source.onChange((ref) => {
      if (ref !== undefined)
        this.#add({ kind: 'container', pod: ref.pod, container: ref.container, at: this.#now });
    });
  }

  ports(ports: Parameters<DevObserver['ports']>[0]): void {
    this.#add({ kind: 'ports', ports, at: this.#now });
  }

  pair(pair: number, sync: PairSync): void {
    this.#syncs[pair] = sync;
  }

  session(session: Session): void {
    this.#session = session;
    this.#add({ kind: 'begun', changes: changesOf(session.record, this.#parts.knowledge), at: this.#now });
  }

  restored(report: RestoreReport): void {
    const changes = changesAfter(this.#model.detail.changes, report);
    this.#add({ kind: 'changes', changes, at: this.#now });
  }

  /** The hot path: thousands a second. */
  sync(pair: number, event: SyncEvent): void {
    const at = this.#now;
    if (event.kind === 'file') {
      const total = event.direction === 'up' ? this.#up : this.#down;
      total.files++;
      total.bytes += event.bytes;
      this.#trafficAt = at;
      const path = event.to === undefined ? event.path : `${event.path} → ${event.to}`;
      const { direction, action, bytes, size } = event;
      const patched = size !== undefined && bytes < size && action === 'update';
      this.activity.add({ at, path, direction, action, bytes, ...(patched ? { size } : {}) });
      this.#schedule();
      return;
    }
    switch (event.kind) {
      case 'state': {
        const last = this.#news.at(-1);
        const files = event.state.kind === 'in-sync' ? this.#syncs[pair]?.view?.files : undefined;
        const news: SessionNews = { kind: 'pair', pair, state: event.state, files, at };
        // Of counts that follow one another only the last one will be seen.
        if (last?.kind === 'pair' && last.pair === pair && last.state.kind === 'syncing')
          this.#news[this.#news.length - 1] = news;
        else this.#add(news);
        return;
      }
      case 'conflict': {
        const { conflict, winner, loser } = event;
        const message = conflictText(event);
        return this.#add({ kind: 'conflict', pair, path: conflict.path, winner, loser, message, at });
      }
      case 'held':
        this.#addUnsent('held', event.held.paths, event.held.reason, at);
        return this.#add({ kind: 'held', reason: event.held.reason, count: event.held.paths.length, at });
      case 'released':
        return this.#schedule();
      case 'problem': {
        const { side, problem } = event;
        this.#addUnsent('failed', [problem.path], problem.message, at);
        const where = side === 'local' ? 'on this machine' : 'in the container';
        const message = `${problem.path} ${where}: ${problem.message}`;
        return this.#add({ kind: 'event', event: { event: 'notice', message }, at });
      }
      case 'notice':
        return this.#add({ kind: 'event', event: { event: 'notice', message: event.message }, at });
    }
  }

  /** What does not travel stands among what does, a few of many. */
  #addUnsent(action: 'held' | 'failed', paths: readonly string[], reason: string, at: number): void {
    for (const path of paths.slice(0, shownUnsent))
      this.activity.add({ at, path, direction: 'up', action, bytes: 0, reason });
    this.#added.fire();
  }

  /** It is over: after what failed, or cleanly. */
  end(error: unknown): void {
    const value = isSlipwayError(error) ? error.toValue() : undefined;
    const unexpected = error !== undefined && value === undefined && !isCancellation(error);
    const told = unexpected ? unexpectedError : value;
    this.#add({ kind: 'over', at: this.#now, ...(told === undefined ? {} : { error: told }) });
    this.#flush();
    this.#gathering?.[Symbol.dispose]();
    this.#following?.[Symbol.dispose]();
    this.#session = undefined;
    this.#over.resolve();
  }

  get #now(): number {
    return this.#parts.clock.now();
  }

  #add(news: SessionNews): void {
    const isDetail = news.kind === 'conflict' || news.kind === 'held' || isNotice(news);
    if (isDetail && this.#news.length >= gatheredNews) this.#leftOut++;
    else this.#news.push(news);
    this.#schedule();
  }

  #schedule(): void {
    this.#gathering ??= this.#parts.clock.timer(gatherMs, () => this.#flush());
  }

  #flush(): void {
    this.#gathering?.[Symbol.dispose]();
    this.#gathering = undefined;
    const news = this.#news;
    const at = this.#now;
    this.#news = [];
    if (this.#leftOut > 0) {
      const message = `${this.#leftOut} more were told at the same time.`;
      news.push({ kind: 'event', event: { event: 'notice', message }, at });
      this.#leftOut = 0;
    }
    if (this.#trafficAt !== undefined) {
      news.push({ kind: 'traffic', up: { ...this.#up }, down: { ...this.#down }, at: this.#trafficAt });
      this.#trafficAt = undefined;
      this.#added.fire();
    }
    if (!this.isOver && news.at(-1)?.kind !== 'over') news.push(this.#holdsNow(at));
    this.#model = reduceAll(this.#model, news, at);
    this.detail.set(this.#model.detail);
  }

  /** As the engines have it: a hold also shrinks when nothing is said. */
  #holdsNow(at: number): SessionNews & { readonly held?: Readonly<Record<string, HeldWork>> } {
    return { kind: 'holds', at, ...this.#mirror.mirror(this.#syncs.map(({ view }) => view?.held ?? [])) };
  }

  #answeredBefore(key: string, choice: HeldChoice): string {
    const before = this.#answers.get(key);
    if (before === choice) return 'It was answered like this before.';
    if (before !== undefined) return `It was answered before, with "${before}"; nothing was changed now.`;
    return 'There is nothing to answer any more: what it was about has gone.';
  }
}

function isNotice(news: SessionNews): boolean {
  return news.kind === 'event' && news.event.event === 'notice';
}

function noteOf(outcome: Awaited<ReturnType<Session['restoreReplicas']>>): string {
  switch (outcome.kind) {
    case 'restored':
      return `Scaled back to ${outcome.to}; its pods run beside the dev pod.`;
    case 'as-before':
      return 'It was what it had been before already.';
    case 'kept': {
      const { was, now, by } = outcome.change;
      return `Was ${was}, is now ${now}${by === undefined ? '' : ` by ${by}`}: left so.`;
    }
  }
}

const unexpectedError = {
  code: 'app.gone',
  message: 'The session ended by a fault of Slipway itself.',
  cause: 'Something happened that it does not expect; the log says what.',
  next: 'See Leftovers for what may remain, and report the fault.',
} as const;
