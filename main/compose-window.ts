import { homedir } from 'node:os';
import { createAppHandlers, type HostAbilities } from './app/app-handlers.ts';
import { createSandbox } from './app/sandbox.ts';
import { DisposableStore } from './base/dispose.ts';
import type { Services } from './compose.ts';
import { createDispatcher, type Dispatcher } from './ipc/dispatcher.ts';
import { openSettings } from './settings/settings-store.ts';
import { createSettingsHandlers } from './settings/settings-handlers.ts';
import { createQuestions } from './tasks/questions.ts';
import { createTasks } from './tasks/tasks.ts';
import { createTasksHandlers } from './tasks/tasks-handlers.ts';

export interface WindowOptions {
  readonly services: Services;
  readonly abilities: HostAbilities;
  readonly platform: NodeJS.Platform;
  /** Hears of what no feature expected; the windows live on. */
  readonly onBug: (error: unknown) => void;
}

/** Everything behind the windows of one host. Disposing closes all, and leaves what still runs in a cluster as it is. */
export interface WindowServices extends AsyncDisposable {
  readonly dispatcher: Dispatcher;
}

/** Joins the features for windows. Reads the settings; everything else is opened when a window first asks for it. */
export async function composeWindow({
  services,
  abilities,
  platform,
  onBug,
}: WindowOptions): Promise<WindowServices> {
  const { clock, home, stateFiles } = services;
  const lifetime = new DisposableStore();
  const tasks = lifetime.add(createTasks({ clock }));
  const questions = lifetime.add(createQuestions());
  const settings = lifetime.add(
    await openSettings({
      home,
      files: stateFiles,
      clock,
      onDamage: (notice) => tasks.tell('Read the Settings', notice),
    }),
  );
  const app = lifetime.add(
    createAppHandlers({
      abilities,
      homeFolder: homedir(),
      platform,
      version: () => services.version(),
      sandbox: createSandbox({ platform }),
      tasks,
      settings,
    }),
  );
  const dispatcher = createDispatcher(
    {
      ...app,
      ...createTasksHandlers({ tasks, questions }),
      ...createSettingsHandlers({ settings, doctor: () => Promise.reject(new Error('soon')) }),
    },
    { clock, onBug },
  );
  return {
    dispatcher,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
