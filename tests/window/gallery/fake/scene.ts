import type {
  CallInputOf,
  DownOf,
  MethodName,
  OutputOf,
  ParamsOf,
  StateName,
  StreamName,
  ValueOf,
} from '../../../../contract/api.ts';
import type { ErrorValue } from '../../../../contract/errors.ts';

/** An answer that never comes: what is shown meanwhile. */
export const never = Symbol('never');
type Never = typeof never;

/** An answer that is an expected error. */
export class Refusal {
  readonly error: ErrorValue;

  constructor(error: ErrorValue) {
    this.error = error;
  }
}

/** What a scene can do to the window while it is open, from its methods or from a test. */
export interface Stage {
  /** Changes a state for everybody who watches it, whatever the params. */
  set<Name extends StateName>(
    name: Name,
    value: ValueOf<Name> | ((params: ParamsOf<Name>) => ValueOf<Name>),
  ): void;
}

export type SceneStates = {
  readonly [Name in StateName]?: (params: ParamsOf<Name>) => ValueOf<Name> | Refusal | Never;
};
export type SceneMethods = {
  readonly [Name in MethodName]?: (
    input: CallInputOf<Name>,
    stage: Stage,
  ) => OutputOf<Name> | Refusal | Never;
};
export type SceneStreams = {
  /** Messages that come at once; the stream stays open after them unless a refusal ends it. */
  readonly [Name in StreamName]?: (params: ParamsOf<Name>) => readonly DownOf<Name>[] | Refusal;
};

/** What main answers while one picture of the window is taken. */
export interface Scene {
  /** Like `#/workloads/c1/shop`. */
  readonly hash: string;
  readonly states?: SceneStates;
  readonly methods?: SceneMethods;
  readonly streams?: SceneStreams;
  /** What the window remembers, as it keeps it in the storage under `slipway.view`. */
  readonly view?: Readonly<Record<string, unknown>>;
  /** Terminals and logs of the dock, as it keeps them under `slipway.dock`. */
  readonly dock?: Readonly<Record<string, unknown>>;
  /** How main is reached: `gone` accepts a connection and then closes it for good. */
  readonly connection?: 'open' | 'gone' | 'refused';
}

/** All scenes by name. */
export type Scenes = Readonly<Record<string, Scene>>;

/** A scene with parts of another one where it has none of its own. */
export function scene(base: Scene, own: Partial<Scene>): Scene {
  return {
    ...base,
    ...own,
    states: { ...base.states, ...own.states },
    methods: { ...base.methods, ...own.methods },
    streams: { ...base.streams, ...own.streams },
  };
}
