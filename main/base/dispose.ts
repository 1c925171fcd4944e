/**
 * Several lifetimes that end together, in reverse order of their beginning. What is added after the end
 * is ended at once, so a late opener cannot leak. An error while ending one does not keep the others alive.
 */
export class DisposableStore implements AsyncDisposable {
  readonly #items: (Disposable | AsyncDisposable)[] = [];
  #ended = false;

  get ended(): boolean {
    return this.#ended;
  }

  add<T extends Disposable | AsyncDisposable>(item: T): T {
    if (this.#ended) void end(item);
    else this.#items.push(item);
    return item;
  }

  defer(action: () => void | Promise<void>): void {
    this.add({ [Symbol.asyncDispose]: async () => action() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    const errors: unknown[] = [];
    for (let item = this.#items.pop(); item !== undefined; item = this.#items.pop()) {
      try {
        await end(item);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Some resources could not be released');
  }
}

async function end(item: Disposable | AsyncDisposable): Promise<void> {
  if (Symbol.asyncDispose in item) await item[Symbol.asyncDispose]();
  else item[Symbol.dispose]();
}
