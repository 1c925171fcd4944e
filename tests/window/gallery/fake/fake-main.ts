import type { DownFrame, UpFrame } from '../../../../contract/wire.ts';
import { never, Refusal, type Scene, type Stage } from './scene.ts';

type Told = (frame: DownFrame) => void;
type AnyAnswer = (input: unknown, stage: Stage) => unknown;

interface Watch {
  readonly name: string;
  readonly params: unknown;
  index: number;
}

/** Answers frames as a scene says; each connection of the window has one. */
export class FakeMain {
  readonly #answers: {
    readonly states: Map<string, AnyAnswer>;
    readonly methods: Map<string, AnyAnswer>;
    readonly streams: Map<string, AnyAnswer>;
  };
  readonly #watches = new Map<number, Watch>();
  readonly #tell: Told;
  readonly #stage: Stage = { set: (name, value) => this.set(name, value) };

  constructor(scene: Scene, overrides: ReadonlyMap<string, unknown>, tell: Told) {
    const entries = (part: object | undefined) =>
      new Map(Object.entries(part ?? {}) as [string, AnyAnswer][]);
    this.#answers = {
      states: entries(scene.states),
      methods: entries(scene.methods),
      streams: entries(scene.streams),
    };
    for (const [name, value] of overrides) this.#answers.states.set(name, () => value);
    this.#tell = tell;
  }

  take(frame: UpFrame): void {
    switch (frame.t) {
      case 'call':
        return this.#answer(frame.id, this.#answers.methods.get(frame.name), frame.input, (output) =>
          this.#tell({ t: 'result', id: frame.id, output }),
        );
      case 'watch': {
        this.#watches.set(frame.id, { name: frame.name, params: frame.params, index: 0 });
        return this.#snapshot(frame.id);
      }
      case 'resync':
        return this.#snapshot(frame.id);
      case 'unwatch':
        this.#watches.delete(frame.id);
        return;
      case 'open':
        return this.#answer(frame.id, this.#answers.streams.get(frame.name), frame.params, (messages) => {
          for (const payload of messages as readonly unknown[])
            this.#tell({ t: 'data', id: frame.id, payload });
        });
      case 'cancel':
      case 'data':
      case 'credit':
      case 'close':
        return;
    }
  }

  /** Changes a state for all its watchers. */
  set(name: string, value: unknown): void {
    this.#answers.states.set(name, typeof value === 'function' ? (value as AnyAnswer) : () => value);
    for (const [id, watch] of this.#watches) if (watch.name === name) this.#snapshot(id);
  }

  /** The ids under which a state is watched. */
  idsOf(name: string): readonly number[] {
    return [...this.#watches].filter(([, watch]) => watch.name === name).map(([id]) => id);
  }

  /** The index of the last snapshot that was sent for an id. */
  indexOf(id: number): number {
    return this.#watches.get(id)?.index ?? 0;
  }

  #snapshot(id: number): void {
    const watch = this.#watches.get(id);
    if (watch === undefined) return;
    this.#answer(id, this.#answers.states.get(watch.name), watch.params, (value) => {
      watch.index += 1;
      this.#tell({ t: 'snapshot', id, index: watch.index, value });
    });
  }

  #answer(id: number, answer: AnyAnswer | undefined, input: unknown, tell: (output: unknown) => void): void {
    const output = answer?.(input, this.#stage) ?? never;
    if (output === never) return;
    if (output instanceof Refusal) this.#tell({ t: 'error', id, error: output.error });
    else tell(output);
  }
}
