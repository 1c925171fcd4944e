import type { AppInfo } from '../../contract/app.ts';
import { detachedHash, parseDetachedRoute } from '../../contract/detached-route.ts';
import { SlipwayError } from '../base/errors.ts';
import { Store } from '../base/store.ts';
import type { Handlers } from '../ipc/handlers.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Sandbox } from './sandbox.ts';

/** What the program that shows the windows can do for them. */
export interface HostAbilities {
  readonly host: AppInfo['host'];
  /** The folder that the app was started in. */
  readonly startFolder: string;
  /** The platform's own dialog; resolves with undefined when it was cancelled. */
  readonly chooseFolder?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
  /** Opens an address that was checked by it in the user's browser. */
  readonly openExternal?: ((url: string) => Promise<void>) | undefined;
  /** Opens a window on the address of a terminal or a log; throws when it is one too many. */
  readonly openWindow?: ((hash: string) => void) | undefined;
}

export interface AppHandlersDependencies {
  readonly abilities: HostAbilities;
  readonly homeFolder: string;
  /** Where the app keeps what is its own: settings, the past of pairs, notes of sessions. */
  readonly stateFolder: string;
  readonly platform: NodeJS.Platform;
  readonly version: () => Promise<{ readonly version: string; readonly helper: string }>;
  readonly sandbox: Pick<Sandbox, 'look' | 'bringUp'>;
  readonly tasks: Pick<Tasks, 'start'>;
  readonly settings: Pick<SettingsStore, 'revise'>;
}

export type AppHandlers = Pick<
  Handlers,
  'app.info' | 'app.chooseFolder' | 'app.openExternal' | 'app.openWindow' | 'app.startSandbox'
>;

/** What a window may ask about the app and its machine. Nothing is looked at before the first window asks. */
export function createAppHandlers(dependencies: AppHandlersDependencies): AppHandlers & Disposable {
  const { abilities, sandbox, tasks, settings } = dependencies;
  const info = new Info(dependencies);
  let starting: string | undefined;
  return {
    'app.info': () => {
      info.look();
      return {
        get value() {
          return info.store.value;
        },
        onChange: info.store.onChange,
        [Symbol.dispose]: () => undefined,
      };
    },
    'app.chooseFolder': async (_input, { signal }) => {
      if (abilities.chooseFolder === undefined) throw cannot('show a dialog of the system');
      const path = await abilities.chooseFolder(signal);
      return path === undefined ? {} : { path };
    },
    'app.openExternal': async ({ url }) => {
      if (abilities.openExternal === undefined) throw cannot('open addresses for the window');
      await abilities.openExternal(url);
      return {};
    },
    'app.openWindow': async ({ hash }) => {
      const route = parseDetachedRoute(hash);
      if (abilities.openWindow === undefined || route === undefined) throw cannot('open this window');
      // Written anew from what was read: no text of the page becomes an address.
      abilities.openWindow(detachedHash(route));
      return {};
    },
    'app.startSandbox': async () => {
      // Whoever asks while it comes up means that start: the sandbox is one, however many windows there are.
      if (starting !== undefined) return { task: starting };
      const task = tasks.start(
        { title: 'Start the Sandbox', route: '#/welcome' },
        async (progress, signal) => {
          const path = await sandbox.bringUp((detail) => progress.report({ detail }), signal);
          await settings.revise(({ kubeconfigFiles }) =>
            kubeconfigFiles.includes(path) ? {} : { kubeconfigFiles: [...kubeconfigFiles, path] },
          );
          info.set({ kind: 'running', kubeconfig: path });
        },
      );
      starting = task.id;
      // The task tells how it went.
      task.result
        .catch(() => undefined)
        .finally(() => {
          starting = undefined;
        });
      return { task: task.id };
    },
    [Symbol.dispose]: () => info[Symbol.dispose](),
  };
}

/** What is known of the app; the versions and the sandbox are looked for when a window first asks. */
class Info implements Disposable {
  readonly store: Store<AppInfo>;
  readonly #dependencies: AppHandlersDependencies;
  readonly #ended = new AbortController();
  #looked = false;

  constructor(dependencies: AppHandlersDependencies) {
    this.#dependencies = dependencies;
    const { abilities, homeFolder, platform, stateFolder } = dependencies;
    this.store = new Store<AppInfo>({
      version: '',
      helper: '',
      platform,
      host: abilities.host,
      homeFolder,
      stateFolder,
      startFolder: abilities.startFolder,
      nativeFolderDialog: abilities.chooseFolder !== undefined,
      sandbox: { kind: 'unavailable', reason: 'Not looked at yet.' },
    });
  }

  look(): void {
    if (this.#looked) return;
    this.#looked = true;
    const { version, sandbox } = this.#dependencies;
    const { signal } = this.#ended;
    version().then(
      (versions) => this.store.update((info) => ({ ...info, ...versions })),
      () => {
        // Told where it matters: no session begins without the helper that this is about.
      },
    );
    sandbox.look(signal).then(
      (found) => this.set(found),
      () => {
        // A program that does not answer in time is none to offer; the next window asks it again.
        this.#looked = false;
        if (!signal.aborted) this.set({ kind: 'unavailable', reason: 'The sandbox does not say how it is.' });
      },
    );
  }

  set(sandbox: AppInfo['sandbox']): void {
    if (!this.#ended.signal.aborted) this.store.update((info) => ({ ...info, sandbox }));
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.store[Symbol.dispose]();
  }
}

function cannot(what: string): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: `This host cannot ${what}.`,
    cause: 'The window runs in a browser, or in a host without that.',
    next: 'Do it in the window itself.',
  });
}
