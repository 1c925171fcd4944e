import type { Handlers } from '../ipc/handlers.ts';
import type { Questions } from './questions.ts';
import type { Tasks } from './tasks.ts';

export interface TasksHandlersDeps {
  readonly tasks: Tasks;
  readonly questions: Questions;
}

/** What a window may ask about tasks and questions. */
export function createTasksHandlers({
  tasks,
  questions,
}: TasksHandlersDeps): Pick<
  Handlers,
  'app.tasks' | 'app.cancelTask' | 'app.clearTasks' | 'app.questions' | 'app.answer'
> {
  return {
    'app.tasks': () => ({
      get value() {
        return tasks.value;
      },
      onChange: tasks.onChange,
      [Symbol.dispose]() {},
    }),
    'app.cancelTask': async ({ id }) => {
      tasks.cancel(id);
      return {};
    },
    'app.clearTasks': async () => {
      tasks.clear();
      return {};
    },
    'app.questions': () => ({
      get value() {
        return questions.value;
      },
      onChange: questions.onChange,
      [Symbol.dispose]() {},
    }),
    'app.answer': async ({ id, choice }) => {
      questions.answer(id, choice);
      return {};
    },
  };
}
