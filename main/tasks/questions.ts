import type { Question } from '../../contract/app.ts';
import { SlipwayError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import { Store } from '../base/store.ts';

/** How many questions may stand open at once. */
export const maximumQuestions = 32;

export interface QuestionList {
  readonly items: Readonly<Record<string, Question>>;
}

/** What main may not decide alone. Every window shows an open question until one of them answers. */
export interface Questions extends Disposable {
  readonly value: QuestionList;
  readonly onChange: Event<void>;
  /**
   * Resolves with the id of the chosen answer; the first one counts. Withdrawn, and rejecting with the signal's
   * reason, when aborted. Rejects with `consent.refused` when too many stand open.
   */
  ask(question: Omit<Question, 'id'>, options: { readonly signal: AbortSignal }): Promise<string>;
  /** An answer to a question that is gone is none. Throws `usage.invalid` for a choice that there is not. */
  answer(id: string, choice: string): void;
}

export function createQuestions(): Questions {
  const store = new Store<QuestionList>({ items: {} });
  const open = new Map<string, (choice: string) => void>();
  let last = 0;
  const withdraw = (id: string): void => {
    open.delete(id);
    store.set({ items: Object.fromEntries(Object.entries(store.value.items).filter(([key]) => key !== id)) });
  };
  return {
    get value() {
      return store.value;
    },
    onChange: store.onChange,
    async ask(question, { signal }) {
      signal.throwIfAborted();
      if (open.size >= maximumQuestions) throw tooMany(question);
      const id = `question-${(last += 1)}`;
      let onAbort: (() => void) | undefined;
      try {
        return await new Promise<string>((resolve, reject) => {
          onAbort = (): void => reject(signal.reason as Error);
          signal.addEventListener('abort', onAbort, { once: true });
          open.set(id, resolve);
          store.set({ items: { ...store.value.items, [id]: { ...question, id } } });
        });
      } finally {
        if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
        withdraw(id);
      }
    },
    answer(id, choice) {
      const { items } = store.value;
      const question = Object.hasOwn(items, id) ? items[id] : undefined;
      if (question === undefined) return;
      if (!question.choices.some((each) => each.id === choice)) throw unknownChoice(question, choice);
      open.get(id)?.(choice);
      withdraw(id);
    },
    [Symbol.dispose]() {
      store[Symbol.dispose]();
    },
  };
}

function tooMany(question: Omit<Question, 'id'>): SlipwayError {
  return new SlipwayError({
    code: 'consent.refused',
    message: `The question "${question.title}" was not asked.`,
    cause: `${maximumQuestions} others wait for an answer already.`,
    next: 'Answer those first, then try again.',
  });
}

function unknownChoice(question: Question, choice: string): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: `"${choice}" is no answer to "${question.title}".`,
    cause: `Possible are ${question.choices.map(({ id }) => id).join(', ')}.`,
    next: 'Choose one of these.',
  });
}
