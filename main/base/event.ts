/** A function that takes a listener and returns what removes it again. Events announce, they never orchestrate. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The owner's side of an {@link Event}. A listener that throws does not keep the others from hearing. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event: Event<T> = (listener) => {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
  }
}
