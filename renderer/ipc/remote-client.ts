import './dispose-symbol.ts';
import type {
  CallInputOf,
  DownOf,
  MethodName,
  OutputOf,
  ParamsOf,
  StateName,
  StreamName,
  UpOf,
  ValueOf,
} from '../../contract/api.ts';
import type { ErrorValue } from '../../contract/errors.ts';
import type { DownFrame, FramePort, UpFrame } from '../../contract/wire.ts';
import { paramsKey } from './params-key.ts';
import { goneValue, RemoteError } from './remote-error.ts';
import { OpenStreams } from './open-streams.ts';
import { PendingCalls } from './pending-calls.ts';
import { WatchedStates } from './watched-states.ts';

/** What is known of a state: its last value also while an error says that it is no longer told. */
export interface RemoteState<Value> {
  readonly value: Value | undefined;
  readonly error: ErrorValue | undefined;
}

export interface StreamListener<Down> {
  /** Messages that main may send before the window has taken any, 1 to 1024; `grant` gives more. */
  readonly credit: number;
  readonly onMessage: (message: Down) => void;
  readonly onEnd: () => void;
  /** Also when the connection is lost (`app.gone`): a stream is never opened again by itself. */
  readonly onError: (error: ErrorValue) => void;
}

export interface StreamHandle<Up> {
  send(message: Up): void;
  /** Gives room for more messages back: call it when a message is dealt with. */
  grant(amount: number): void;
  close(): void;
}

/** What a window asks main with. It outlives connections: see `connection.ts`. */
export interface Client {
  /** Rejects with {@link RemoteError}, or with the signal's reason. */
  call<Name extends MethodName>(
    name: Name,
    input: CallInputOf<Name>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<OutputOf<Name>>;
  /** Tells what is known now and each change. Watching the same twice costs main once. */
  watch<Name extends StateName>(
    name: Name,
    params: ParamsOf<Name>,
    listener: (state: RemoteState<ValueOf<Name>>) => void,
  ): Disposable;
  /** What is known now; the same object until it changes. */
  latest<Name extends StateName>(name: Name, params: ParamsOf<Name>): RemoteState<ValueOf<Name>>;
  open<Name extends StreamName>(
    name: Name,
    params: ParamsOf<Name>,
    listener: StreamListener<DownOf<Name>>,
  ): StreamHandle<UpOf<Name>>;
}

/** The same, with what connects it. */
export interface AttachableClient extends Client {
  /** Speaks through this connection from now on, until it closes. */
  attach(port: FramePort<UpFrame, DownFrame>): void;
  /** There is no connection: what waited for the first one fails. */
  detach(): void;
}

export interface ClientOptions {
  /** How long a state that nobody watches any more is kept, for who goes back and forth between pages. */
  readonly lingerMs?: number;
  /** Hears of listeners that threw, and of frames that main could not read. */
  readonly onBug?: (error: unknown) => void;
}

/** Before the first connection, what is asked waits for it. */
type Phase =
  | { readonly kind: 'first'; readonly held: (() => void)[] }
  | { readonly kind: 'open'; readonly port: FramePort<UpFrame, DownFrame> }
  | { readonly kind: 'lost' };

/** What the first connection is waited for with, at most. */
const maximumHeld = 256;

export function createClient({ lingerMs = 1000, onBug = throwLater }: ClientOptions = {}): AttachableClient {
  let phase: Phase = { kind: 'first', held: [] };
  let lastId = 0;
  const guarded = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      onBug(error);
    }
  };
  const link: Link = {
    nextId: () => ++lastId,
    get isOpen() {
      return phase.kind === 'open';
    },
    send(frame) {
      if (phase.kind === 'open') phase.port.send(frame);
    },
    whenOpen(action, otherwise) {
      if (phase.kind === 'open') action();
      else if (phase.kind === 'first' && phase.held.length < maximumHeld)
        phase.held.push(() => (phase.kind === 'open' ? action() : otherwise()));
      else otherwise();
    },
    guarded,
  };
  const calls = new PendingCalls(link);
  const states = new WatchedStates(link, lingerMs);
  const streams = new OpenStreams(link);

  function take(frame: DownFrame): void {
    if (frame.t === 'result') calls.resolve(frame.id, frame.output);
    else if (frame.t === 'snapshot' || frame.t === 'patch') states.take(frame);
    else if (frame.t === 'data') streams.take(frame.id, frame.payload);
    else if (frame.t === 'end') streams.end(frame.id);
    else if (frame.id === 0) onBug(new RemoteError(frame.error));
    else {
      calls.reject(frame.id, frame.error);
      states.fail(frame.id, frame.error);
      streams.fail(frame.id, frame.error);
    }
  }

  function detach(): void {
    const before = phase;
    phase = { kind: 'lost' };
    calls.rejectAll(goneValue);
    states.disconnected();
    streams.failAll(goneValue);
    if (before.kind === 'first') for (const action of before.held) guarded(action);
  }

  return {
    attach(port) {
      const before = phase;
      phase = { kind: 'open', port };
      port.onFrame((frame) => {
        if (phase.kind === 'open' && phase.port === port) take(frame);
      });
      port.onClose(() => {
        if (phase.kind === 'open' && phase.port === port) detach();
      });
      states.connected();
      if (before.kind === 'first') for (const action of before.held) guarded(action);
    },
    detach,
    call: (name, input, options) =>
      calls.call(name, input, options?.signal) as Promise<OutputOf<typeof name>>,
    watch: (name, params, listener) =>
      states.watch(paramsKey(name, params), name, params, listener as (state: RemoteState<unknown>) => void),
    latest: (name, params) => states.latest(paramsKey(name, params)) as RemoteState<ValueOf<typeof name>>,
    open: (name, params, listener) => streams.open(name, params, listener as StreamListener<unknown>),
  };
}

/** Loud, and in nobody's way. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** What calls, states and streams share of a client. */
export interface Link {
  /** Rises also over reconnects, so that no late frame is taken for another's. */
  nextId(): number;
  readonly isOpen: boolean;
  /** Does nothing without a connection. Throws what the port throws: a frame that cannot travel. */
  send(frame: UpFrame): void;
  /** At once, or when the first connection stands; `otherwise` when there is none. */
  whenOpen(action: () => void, otherwise: () => void): void;
  /** Runs a listener: what it throws is told and harms nobody else. */
  guarded(action: () => void): void;
}
