import type { PairPaths, SessionEvent } from '../../contract/session-events.ts';
import type { Clock } from '../base/clock.ts';
import { isCancellation, isSlipwayError, SlipwayError } from '../base/errors.ts';
import type {
  Leftover,
  PodState,
  RestoreReport,
  Session,
  SessionPlan,
  Sessions,
} from '../session/session.ts';
import type { MissingRight } from '../session/plan.ts';
import { PodSlot, type ContainerRef, type PodSource } from './pod-source.ts';
import {
  openServices,
  type OnHeld,
  type ServiceFactories,
  type Services,
  type ServicesObserver,
} from './services.ts';
import { announceSession } from './session-announcement.ts';
import { untilAborted } from './until-aborted.ts';

/** Follows a session more closely than its events do, for a window. */
export interface DevObserver extends ServicesObserver {
  /** Where the container is found, from the first moment on. */
  source(source: PodSource): void;
  session(session: Session): void;
  restored(report: RestoreReport): void;
}

export interface DevOptions {
  readonly sessions: Pick<Sessions, 'start' | 'restore'>;
  readonly plan: SessionPlan;
  readonly missingRights: readonly MissingRight[];
  readonly factories: ServiceFactories;
  readonly pairs: readonly PairPaths[];
  readonly ports: readonly { readonly local: number; readonly remote: number }[];
  /** Leaves the dev pod when the session ends, as DevSpace does. Looked at when it ends. */
  readonly keep: boolean;
  readonly emit: (event: SessionEvent) => void;
  readonly onHeld?: OnHeld | undefined;
  readonly observer?: DevObserver | undefined;
  /** What to do with a dead session of the same user on the same workload. */
  readonly onOwnDead: (leftover: Leftover) => Promise<'continue' | 'restore'>;
  /** Removes what was put into the container; only with `keep`, otherwise it goes with the pod. */
  readonly cleanUp: (source: PodSource) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

/** Syncs and forwards that have not ended by then keep the workload waiting no longer. */
const servicesEndMs = 15_000;

/**
 * A whole dev session: local services first (so that a taken port or a missing folder is found before the cluster
 * is touched), then the replacement, the first sync, and at `stop` everything back. Resolves after a clean stop; rejects with
 * what failed, after everything was put back as far as possible.
 */
export async function runDev(options: DevOptions): Promise<void> {
  const { stop } = options;
  using slot = new PodSlot();
  const source: PodSource = {
    current: (signal) => slot.current(signal),
    onChange: slot.onChange,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  options.observer?.source(source);
  const services = await openServices({ ...options, source });
  let session: Session | undefined;
  try {
    session = await startSession(options);
    options.observer?.session(session);
    await runSession(options, session, services, slot);
  } catch (error) {
    await endAfter(error, options, session, services, source);
    if (!stop.aborted || !isCancellation(error)) throw error;
    return;
  }
  await end(options, session, services, source, { failed: false });
}

async function startSession(options: DevOptions): Promise<Session> {
  const { emit, plan, sessions, stop } = options;
  const { namespace } = plan.request;
  emit({
    event: 'phase',
    phase: 'start',
    message: `replacing ${namespace}/${plan.target.name} (${plan.target.replicas} → 0) by ${plan.devObject.metadata?.name ?? ''}`,
  });
  const start = {
    missingRights: options.missingRights,
    onProgress: (message: string) => emit({ event: 'phase', phase: 'start', message }),
    signal: stop,
  };
  let outcome = await sessions.start(plan, start);
  if (outcome.kind === 'own-dead') {
    const choice = await options.onOwnDead(outcome.leftover);
    if (choice === 'restore') {
      emit({
        event: 'phase',
        phase: 'restore',
        message: `restoring your earlier session on ${outcome.leftover.target}`,
      });
      await sessions.restore(outcome.leftover, { signal: stop });
      throw new RestoredInstead();
    }
    outcome = await sessions.start(plan, { ...start, ownDead: 'continue' });
  }
  if (outcome.kind !== 'started') throw new Error('A session that is continued is returned as such.');
  if (outcome.continued) emit({ event: 'notice', message: 'Continuing your earlier session.' });
  return outcome.session;
}

/** The earlier session was put back, which changed the workload: whoever asked plans anew. */
export class RestoredInstead extends Error {
  constructor() {
    super('The earlier session was restored.');
    this.name = 'RestoredInstead';
  }
}

async function runSession(
  options: DevOptions,
  session: Session,
  services: Services,
  slot: PodSlot,
): Promise<void> {
  const { emit, stop } = options;
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  using _events = session.onEvent((event) => {
    emit(announceSession(event));
    if (event.kind === 'lease' && event.event.kind === 'lost')
      lost.reject(takenOver(session, event.event.holder));
  });
  emit({ event: 'phase', phase: 'wait', message: `waiting for the pod of ${session.devName}` });
  await session.waitForPod({
    onProgress: (progress) =>
      emit({ event: 'phase', phase: 'wait', message: `${progress.reason}: ${progress.message}` }),
    signal: stop,
  });
  await using _pod = session.observePod((state) => followPod(state, session, slot, emit));
  const container = await slot.current(stop);
  emit({ event: 'phase', phase: 'sync', message: `first sync with ${container.pod}/${container.container}` });
  await services.firstSync(stop);
  emit({
    event: 'ready',
    session: session.id,
    namespace: container.namespace,
    pod: container.pod,
    container: container.container,
    ports: services.ports,
    pairs: options.pairs,
  });
  await Promise.race([untilAborted(stop), services.failed, lost.promise]);
}

/** Two sessions must never write to one container: whoever lost the Lease ends. */
function takenOver(session: Session, holder: string | undefined): SlipwayError {
  return new SlipwayError({
    code: 'session.not-found',
    message: `The session on ${session.namespace}/${session.target.name} is not this process's any more.`,
    cause: holder === undefined ? 'Its Lease was removed.' : `It was taken over by ${holder}.`,
    next: 'See "slipway leftovers", and start again if you need it.',
  });
}

function followPod(state: PodState, session: Session, slot: PodSlot, emit: DevOptions['emit']): void {
  const service = `pod of ${session.devName}`;
  if (state.kind === 'unknown') {
    emit({ event: 'health', service, state: 'reconnecting', message: state.reason });
    return;
  }
  if (state.kind !== 'running') {
    slot.set(undefined);
    emit({
      event: 'health',
      service,
      state: 'starting',
      message: state.kind === 'none' ? 'no pod' : `${state.name} is starting`,
    });
    return;
  }
  const { name, uid, containerId, container } = state.pod;
  const ref: ContainerRef = { namespace: session.namespace, pod: name, uid, container, containerId };
  slot.set(ref);
  emit({
    event: 'health',
    service,
    state: 'active',
    message: state.pod.ready ? `${name} is ready` : `${name} runs`,
  });
}

/** What failed first is what the user needs to know; a failing end is told beside it and leaves a leftover. */
async function endAfter(
  error: unknown,
  options: DevOptions,
  session: Session | undefined,
  services: Services,
  source: PodSource,
): Promise<void> {
  try {
    await end(options, session, services, source, { failed: !isCancellation(error) });
  } catch (endError) {
    if (!isSlipwayError(endError))
      throw new AggregateError([error, endError], 'The session and its end both failed');
    // A session that was lost says so once.
    if (!isSlipwayError(error, endError.code)) options.emit({ event: 'error', ...endError.toValue() });
  }
}

async function end(
  options: DevOptions,
  session: Session | undefined,
  services: Services,
  source: PodSource,
  { failed }: { readonly failed: boolean },
): Promise<void> {
  options.emit({ event: 'phase', phase: 'stop', message: 'ending sync and forwards' });
  try {
    await endServices(options, services);
  } finally {
    // Whatever becomes of the services: the workload comes back.
    if (session !== undefined) await endSession(options, session, source, { failed });
    else if (!failed) options.emit({ event: 'stopped', restored: [], kept: [], remaining: [] });
  }
}

async function endServices({ clock, emit }: DevOptions, services: Services): Promise<void> {
  const ended = new AbortController();
  const late = clock.sleep(servicesEndMs, ended.signal).then(
    () => emit({ event: 'notice', message: 'Sync and forwards do not end; they are left behind.' }),
    () => undefined,
  );
  try {
    await Promise.race([services[Symbol.asyncDispose](), late]);
  } finally {
    ended.abort();
  }
}

async function endSession(
  options: DevOptions,
  session: Session,
  source: PodSource,
  { failed }: { readonly failed: boolean },
): Promise<void> {
  const { emit } = options;
  if (options.keep && !failed) {
    const note = await options.cleanUp(source);
    if (note !== undefined) emit({ event: 'notice', message: note });
    await session.leave();
    const remains = `The dev pod of ${session.devName} stays; "slipway reset pods -n ${session.namespace}" restores ${session.target.name}.`;
    emit({ event: 'stopped', restored: [], kept: [], remaining: [remains] });
    return;
  }
  emit({
    event: 'phase',
    phase: 'restore',
    message: `restoring ${session.namespace}/${session.target.name}`,
  });
  const onProgress = (message: string): void => emit({ event: 'phase', phase: 'restore', message });
  const report = await session.stop({ onProgress }).catch((error: unknown) => {
    throw notRestored(session, error);
  });
  options.observer?.restored(report);
  emit({
    event: 'stopped',
    restored: report.done,
    kept: report.kept.map(describeKept),
    remaining: report.remains,
  });
}

/** A session that is not this process's any more says so itself; anything else leaves a leftover. */
function notRestored({ namespace, target }: Session, error: unknown): unknown {
  if (!isSlipwayError(error) || error.code === 'session.not-found') return error;
  return new SlipwayError({
    code: 'session.restore-incomplete',
    message: `${namespace}/${target.name} was not put back.`,
    cause: `${error.message} ${error.causeText}`.trim(),
    next: `As soon as the cluster answers, a minute from now at the latest: slipway reset pods -n ${namespace}`,
    origin: error,
  });
}

/** One change of somebody else's that a restore left alone, as a sentence. */
export function describeKept(kept: RestoreReport['kept'][number]): string {
  const by = kept.by === undefined ? '' : ` by ${kept.by}`;
  return `${kept.path} was changed${by} from ${kept.was} to ${kept.now} and stays so.`;
}
