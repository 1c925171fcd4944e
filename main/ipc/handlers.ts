import type {
  DownOf,
  InputOf,
  MethodName,
  OutputOf,
  ParamsOf,
  StateName,
  StreamName,
  UpOf,
  ValueOf,
} from '../../contract/api.ts';
import type { Event } from '../base/event.ts';

export interface CallContext {
  /** Aborted when the window cancels the call or goes away. */
  readonly signal: AbortSignal;
}

/** A value that changes. Whoever reads it compares, so telling a change too often costs little and breaks nothing. */
export interface StateSource<Value> extends Disposable {
  /** Never changed in place: parts that stay the same are the same objects. */
  readonly value: Value;
  readonly onChange: Event<void>;
}

/** The window's end of a stream. */
export interface StreamPeer<Up, Down> {
  /** Aborted when the window closes the stream or goes away. */
  readonly signal: AbortSignal;
  /** Resolves when the window has granted room for it: awaiting it is the back-pressure. Rejects with the signal's reason. */
  send(message: Down): Promise<void>;
  /** Whether `send` would resolve at once. */
  readonly ready: boolean;
  readonly onMessage: Event<Up>;
}

export type MethodHandler<Name extends MethodName> = (
  input: InputOf<Name>,
  context: CallContext,
) => Promise<OutputOf<Name>>;
/** Called once for each watching window; throws a SlipwayError when there is no such thing. */
export type StateHandler<Name extends StateName> = (params: ParamsOf<Name>) => StateSource<ValueOf<Name>>;
/** Runs until it resolves (the end of the stream), rejects (told as its error) or the peer's signal aborts. */
export type StreamHandler<Name extends StreamName> = (
  params: ParamsOf<Name>,
  peer: StreamPeer<UpOf<Name>, DownOf<Name>>,
) => Promise<void>;

/** What answers a window: one entry for each name of the contract. */
export type Handlers = { readonly [Name in MethodName]: MethodHandler<Name> } & {
  readonly [Name in StateName]: StateHandler<Name>;
} & { readonly [Name in StreamName]: StreamHandler<Name> };

/** The handlers of one domain, like `HandlersOf<'settings'>`. */
export type HandlersOf<Domain extends string> = Pick<
  Handlers,
  Extract<keyof Handlers, `${Domain}.${string}`>
>;
