import { Emitter, type Event } from './event.ts';

/** A value that is replaced, never changed in place, and tells so. */
export class Store<Value> implements Disposable {
  readonly #changes = new Emitter<void>();
  readonly onChange: Event<void> = this.#changes.event;
  #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (value === this.#value) return;
    this.#value = value;
    this.#changes.fire();
  }

  update(change: (value: Value) => Value): void {
    this.set(change(this.#value));
  }

  [Symbol.dispose](): void {
    this.#changes[Symbol.dispose]();
  }
}
