import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { FakeContents } from './fake-contents.ts';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));

/** A window that shows nothing and remembers what it was told. */
export class FakeWindow extends EventEmitter {
  readonly webContents: FakeContents;
  readonly loaded: string[] = [];
  readonly options: Readonly<Record<string, unknown>>;
  shown = false;

  constructor(options: Readonly<Record<string, unknown>>, id?: number) {
    super();
    this.webContents = new FakeContents(id);
    this.options = options;
  }

  show(): void {
    this.shown = true;
  }

  loadURL(url: string): Promise<void> {
    this.loaded.push(url);
    return Promise.resolve();
  }

  /** As its user closes it: it may be asked to stay. */
  close(): 'prevented' | 'done' {
    let prevented = false;
    this.emit('close', { preventDefault: () => (prevented = true) });
    if (prevented) return 'prevented';
    this.webContents.emit('destroyed');
    this.emit('closed');
    return 'done';
  }

  focus = (): void => undefined;
  restore = (): void => undefined;
  isMinimized = (): boolean => false;
  isDestroyed = (): boolean => false;
}

/** As much of the `electron` module as main.ts imports; `told` is what it was told, in order. */
export function fakeElectron() {
  const told: string[] = [];
  const windows: FakeWindow[] = [];
  const ready = Promise.withResolvers<void>();
  let focused: FakeWindow | null = null;
  const app = Object.assign(new EventEmitter(), {
    isPackaged: false,
    getAppPath: () => repository,
    enableSandbox: () => told.push('sandbox'),
    requestSingleInstanceLock: () => {
      told.push('lock');
      return true;
    },
    whenReady: () => ready.promise,
    setAsDefaultProtocolClient: () => told.push('protocol client'),
    quit: () => told.push('quit'),
    exit: () => told.push('exit'),
  });
  class BrowserWindow extends FakeWindow {
    constructor(options: Readonly<Record<string, unknown>>) {
      super(options, windows.length + 1);
      windows.push(this);
      told.push('window');
    }
    static getFocusedWindow = (): FakeWindow | null => focused;
  }
  return {
    told,
    windows,
    focus: (window: FakeWindow | undefined) => {
      focused = window ?? null;
    },
    becomeReady: () => {
      told.push('ready');
      ready.resolve();
    },
    module: {
      app,
      BrowserWindow,
      dialog: {
        showMessageBox: () => Promise.resolve({ response: 0 }),
        showErrorBox: () => told.push('error'),
      },
      Menu: { buildFromTemplate: () => ({}), setApplicationMenu: () => told.push('menu') },
      nativeTheme: { shouldUseDarkColors: true },
      protocol: {
        registerSchemesAsPrivileged: () => told.push('scheme'),
        handle: (scheme: string) => told.push(`handle ${scheme}`),
      },
      session: {
        defaultSession: {
          setPermissionRequestHandler: () => told.push('permission requests'),
          setPermissionCheckHandler: () => told.push('permission checks'),
          setDevicePermissionHandler: () => told.push('device permissions'),
        },
      },
      shell: { openExternal: () => Promise.resolve() },
    },
  };
}
