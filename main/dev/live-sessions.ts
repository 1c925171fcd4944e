import type { Listing } from '../../contract/listing.ts';
import type { SessionSummary } from '../../contract/sessions.ts';
import { isCancellation, isSlipwayError, SlipwayError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { Store } from '../base/store.ts';
import type { Kube } from '../kube/kube.ts';
import type { Leftover } from '../session/session.ts';
import { LiveSession } from './live-session.ts';
import type {
  LiveSessionsDependencies,
  PlannedStart,
  SessionPlace,
  StartRequest,
} from './live-sessions-parts.ts';
import { rigRequest } from './rig-request.ts';
import { RestoredInstead, runDev } from './run-dev.ts';
import { initialDetail, ownDeadQuestion } from './session-beginning.ts';
import { alreadyRuns, ending, outdated } from './start-refusals.ts';

/** Sessions that run at a time, and those that are over and still shown. */
export const maximumLive = 32;
const maximumOver = 50;
/** Tries to start after an earlier session was put back, which changes what was planned. */
const maximumReplans = 3;

/**
 * Every dev session of this app. They belong to the app and not to a window: windows come, go and reload while they
 * run; `stopAll` ends them with the app.
 */
export class LiveSessions implements Disposable {
  readonly #dependencies: LiveSessionsDependencies;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #changes = new Emitter<void>();
  readonly #ended = new AbortController();
  /** Workloads with a start on its way that has no session yet. */
  readonly #starting = new Set<string>();
  readonly list = new Store<Listing<SessionSummary>>({ state: 'ready', items: {} });
  /** A session begins, is known to its cluster, or is over. */
  readonly onChange = this.#changes.event;

  constructor(dependencies: LiveSessionsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The session of that id; throws `session.not-found`. */
  get(id: string): LiveSession {
    const session = this.#sessions.get(id);
    if (session !== undefined) return session;
    throw new SlipwayError({
      code: 'session.not-found',
      message: 'There is no such session.',
      cause: 'It was forgotten, or it belongs to an earlier run of the app.',
      next: 'See Leftovers for what an earlier run may have left in the cluster.',
    });
  }

  /** Id of the session that runs on a workload. */
  sessionOn({ cluster, namespace, kind, name }: SessionPlace): string | undefined {
    for (const session of this.#sessions.values()) {
      const { summary } = session.detail.value;
      const isIt = summary.namespace === namespace && summary.kind === kind && summary.target === name;
      if (isIt && session.cluster === cluster && !session.isOver) return session.id;
    }
    return undefined;
  }

  /** What the clusters know those by that are not over: they are not left over. */
  get clusterSessions(): ReadonlySet<string> {
    const running = [...this.#sessions.values()].filter((session) => !session.isOver);
    return new Set(running.flatMap(({ clusterSession }) => clusterSession ?? []));
  }

  /**
   * Starts what a plan says; resolves as soon as the session is known. What stands against it before anything is done
   * rejects here, everything after is told by the session itself.
   */
  async start({ plan: planId, confirmation, earlier }: StartRequest): Promise<string> {
    const { clusters, plans } = this.#dependencies;
    const plan = plans.planOf(planId);
    if (plan === undefined) throw outdated();
    const [obstacle] = plan.flight.obstacles;
    if (obstacle !== undefined) throw new SlipwayError(obstacle);
    const { form } = plan;
    const place = JSON.stringify([form.cluster, form.namespace, form.kind, form.name]);
    if (this.sessionOn(form) !== undefined || this.#starting.has(place)) throw alreadyRuns(form);
    this.#makeRoom();
    this.#starting.add(place);
    try {
      const kube = await clusters.kubeFor(form.cluster, { expected: plan.expected, typed: confirmation });
      if (this.#ended.signal.aborted) throw ending();
      clusters.noteNamespace(form.cluster, form.namespace);
      const live = this.#create(plan);
      live.connected(kube);
      void this.#run(live, plan, kube, earlier);
      return live.id;
    } finally {
      this.#starting.delete(place);
    }
  }

  /** Forgets a session that is over. */
  forget(id: string): void {
    const session = this.get(id);
    if (!session.isOver) {
      throw new SlipwayError({
        code: 'session.live',
        message: 'This session is not over.',
        cause: session.detail.value.summary.sentence,
        next: 'Stop it first.',
      });
    }
    this.#forget(session);
  }

  /** Ends all of them, each with everything put back, and takes no new ones; for the end of the app. */
  async stopAll(options: { readonly onProgress?: ((text: string) => void) | undefined } = {}): Promise<void> {
    this.#ended.abort();
    const running = [...this.#sessions.values()].filter((session) => !session.isOver);
    if (running.length === 0) return;
    let left = running.length;
    const told = running.map((session) =>
      session.detail.onChange(() => {
        const { summary, progress } = session.detail.value;
        if (progress !== '') options.onProgress?.(`${summary.namespace}/${summary.target}: ${progress}`);
      }),
    );
    options.onProgress?.(`Stopping ${left} ${left === 1 ? 'session' : 'sessions'}`);
    try {
      await Promise.all(
        running.map(async (session) => {
          session.requestStop(false);
          await session.over;
          left--;
        }),
      );
    } finally {
      for (const subscription of told) subscription[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    this.#changes[Symbol.dispose]();
    this.list[Symbol.dispose]();
  }

  #create(plan: PlannedStart): LiveSession {
    const { clock, knowledge, newId } = this.#dependencies;
    const id = newId();
    const { cluster } = plan.form;
    const live = new LiveSession({
      clock,
      knowledge,
      cluster,
      initial: initialDetail(id, plan, clock.now()),
    });
    this.#sessions.set(id, live);
    this.#mirror(live);
    const look = (): string => `${live.detail.value.summary.stage} ${live.clusterSession ?? ''}`;
    let seen = look();
    live.detail.onChange(() => {
      this.#mirror(live);
      const now = look();
      if (now === seen) return;
      seen = now;
      this.#changes.fire();
    });
    this.#changes.fire();
    return live;
  }

  /** The whole life of a session, tied to no window. Never rejects. */
  async #run(
    live: LiveSession,
    planned: PlannedStart,
    kube: Kube,
    earlier: StartRequest['earlier'],
  ): Promise<void> {
    const { onFault } = this.#dependencies;
    try {
      await this.#develop(live, planned, kube, earlier);
      live.end(undefined);
    } catch (error) {
      live.end(error);
      if (!isSlipwayError(error) && !isCancellation(error)) onFault(error);
    }
  }

  async #develop(
    live: LiveSession,
    planned: PlannedStart,
    kube: Kube,
    earlier: StartRequest['earlier'],
  ): Promise<void> {
    const { clock, syncRig } = this.#dependencies;
    const { form } = planned;
    const sessions = this.#dependencies.sessions(kube);
    const rig = await syncRig(rigRequest(form, kube));
    live.opened(rig.pairs, planned.commandLine);
    let plan = planned.session;
    for (let attempt = 1; ; attempt++) {
      try {
        return await runDev({
          sessions,
          plan,
          missingRights: planned.missingRights,
          factories: rig.factories,
          pairs: rig.pairs,
          ports: form.ports,
          get keep() {
            return live.keep;
          },
          emit: (event) => live.emit(event),
          observer: live,
          onOwnDead: (leftover) => this.#chooseForOwnDead(live, leftover, earlier),
          cleanUp: (source) => rig.cleanUp(source),
          clock,
          stop: live.stopSignal,
        });
      } catch (error) {
        if (!(error instanceof RestoredInstead) || attempt > maximumReplans) throw error;
        live.emit({
          event: 'phase',
          phase: 'plan',
          message: 'planning anew, your earlier session is put back',
        });
        plan = await sessions.plan(plan.request, { signal: live.stopSignal });
      }
    }
  }

  async #chooseForOwnDead(
    live: LiveSession,
    leftover: Leftover,
    earlier: StartRequest['earlier'],
  ): Promise<'continue' | 'restore'> {
    if (earlier !== undefined) return earlier;
    const signal = live.stopSignal;
    const answer = await this.#dependencies.questions.ask(ownDeadQuestion(leftover), signal);
    if (answer === 'continue' || answer === 'restore') return answer;
    live.requestStop(false);
    throw signal.reason;
  }

  #mirror(live: LiveSession): void {
    const { summary } = live.detail.value;
    this.list.update((list) =>
      list.items[live.id] === summary ? list : { ...list, items: { ...list.items, [live.id]: summary } },
    );
  }

  #makeRoom(): void {
    const over = [...this.#sessions.values()].filter((session) => session.isOver);
    for (const session of over.slice(0, Math.max(0, over.length - maximumOver + 1))) this.#forget(session);
    if (this.#sessions.size - over.length < maximumLive) return;
    throw new SlipwayError({
      code: 'contract.too-much',
      message: `${maximumLive} sessions run already.`,
      cause: 'Each of them holds connections and a watched folder.',
      next: 'Stop one that you do not need.',
    });
  }

  #forget(session: LiveSession): void {
    this.#sessions.delete(session.id);
    this.list.update((list) => {
      const items = { ...list.items };
      Reflect.deleteProperty(items, session.id);
      return { ...list, items };
    });
    session.detail[Symbol.dispose]();
    this.#changes.fire();
  }
}
