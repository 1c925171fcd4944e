import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErrorValue } from '../../contract/errors.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Clock } from '../base/clock.ts';
import { isSlipwayError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import { withFileLock } from '../base/file-lock.ts';
import type { ProcessMarks } from '../base/process-marks.ts';
import type { StateFiles } from '../base/state-files.ts';
import { Store } from '../base/store.ts';
import { watchFiles } from '../base/watch-files.ts';
import {
  formatStoredSettings,
  isDefault,
  parseStoredSettings,
  patchSettings,
  shareParts,
  type StoredSettings,
} from './stored-settings.ts';

/** What the user has chosen, kept in one file that desktop, `serve` and command line share. */
export interface SettingsStore extends AsyncDisposable {
  readonly value: Settings;
  readonly onChange: Event<void>;
  /** Applies a merge patch (RFC 7396) and stores it. Rejects with `settings.invalid` or `disk.*`, and then nothing has changed. */
  update(patch: unknown): Promise<void>;
  /** The same with a patch made of the settings as they are then: a patch replaces a list as a whole. */
  revise(make: (current: Settings) => object): Promise<void>;
}

export interface SettingsOptions {
  readonly home: string;
  readonly files: StateFiles;
  readonly clock: Clock;
  readonly processes: ProcessMarks;
  /** Told once for each damage that is found in the file. */
  readonly onDamage: (notice: ErrorValue) => void;
}

/** The settings as they are stored now, for whoever only reads. */
export async function readSettings(
  options: Pick<SettingsOptions, 'home' | 'files'>,
): Promise<StoredSettings> {
  return parseStoredSettings(await readText(options));
}

/**
 * Opens the settings. What another process writes is taken over; a change is made on what is in the file at that
 * moment. A damaged file is kept beside it under another name and its good parts are used; while the app runs, the
 * settings in use stay and the damaged file is set aside only when something is written.
 */
export async function openSettings(options: SettingsOptions): Promise<SettingsStore> {
  const file = new SettingsFile(options);
  await file.start();
  const watcher = await watchSettings(options, () => void file.reload());
  return {
    get value() {
      return file.store.value;
    },
    onChange: file.store.onChange,
    update: (patch) => file.change(() => patch),
    revise: (make) => file.change(make),
    async [Symbol.asyncDispose]() {
      await watcher[Symbol.asyncDispose]();
      await file.idle();
      file.store[Symbol.dispose]();
    },
  };
}

async function watchSettings(options: SettingsOptions, onChange: () => void): Promise<AsyncDisposable> {
  // Only so that there is a folder to watch; whether it can be used is told when something is written.
  await mkdir(options.home, { recursive: true, mode: 0o700 }).catch(() => undefined);
  return watchFiles({ paths: [settingsPath(options.home)], clock: options.clock, onChange });
}

/** The file and what is in use of it; one thing at a time happens to it. */
class SettingsFile {
  readonly store: Store<Settings>;
  readonly #options: SettingsOptions;
  #further: StoredSettings['further'] = {};
  /** The text that was taken or told as damaged last. */
  #seen: string | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(options: SettingsOptions) {
    this.#options = options;
    this.store = new Store(parseStoredSettings(undefined).value);
  }

  start(): Promise<void> {
    return this.#inOrder(async () => {
      const text = await readText(this.#options);
      const stored = parseStoredSettings(text);
      this.#take(text, stored);
      if (text !== undefined && stored.damage.length > 0) await this.#locked(() => this.#mend());
    });
  }

  /** Reads it once more: another process may have mended it meanwhile. */
  async #mend(): Promise<void> {
    const text = await readText(this.#options);
    const stored = parseStoredSettings(text);
    this.#take(text, stored);
    if (text === undefined || stored.damage.length === 0) return;
    const aside = await this.#setAside(text);
    await this.#write(stored.value);
    this.#tell(stored, `It is kept as ${aside}.`);
  }

  reload(): Promise<void> {
    return this.#inOrder(async () => {
      const text = await readText(this.#options);
      if (text === this.#seen) return;
      const stored = parseStoredSettings(text);
      if (stored.damage.length === 0) this.#take(text, stored);
      else {
        this.#seen = text;
        this.#tell(stored, 'The settings from before stay in use; it is set aside when one is changed.');
      }
    }).catch((error: unknown) => {
      // A file that cannot be read now leaves the settings as they are; a later change is seen again.
      if (!isSlipwayError(error)) throw error;
    });
  }

  change(make: (current: Settings) => unknown): Promise<void> {
    return this.#inOrder(() => this.#locked(() => this.#change(make)));
  }

  async #change(make: (current: Settings) => unknown): Promise<void> {
    const text = await readText(this.#options);
    const stored = parseStoredSettings(text);
    const damaged = text !== undefined && stored.damage.length > 0;
    const current = damaged ? this.store.value : stored.value;
    const next = patchSettings(current, make(current));
    if (damaged) await this.#setAside(text);
    else this.#further = stored.further;
    await this.#write(next);
    this.store.set(shareParts(this.store.value, next));
  }

  /** Reading, changing and writing are one for every process, so that none takes back what another one wrote. */
  #locked(action: () => Promise<void>): Promise<void> {
    const { home, clock, processes } = this.#options;
    return withFileLock(
      { path: `${settingsPath(home)}.lock`, what: 'The settings', clock, processes },
      action,
    );
  }

  idle(): Promise<void> {
    return this.#queue;
  }

  #take(text: string | undefined, stored: StoredSettings): void {
    this.#seen = text;
    this.#further = stored.further;
    this.store.set(shareParts(this.store.value, stored.value));
  }

  async #write(value: Settings): Promise<void> {
    const { home, files } = this.#options;
    if (isDefault(value, this.#further)) {
      await files.remove(settingsPath(home));
      this.#seen = undefined;
      return;
    }
    const text = formatStoredSettings(value, this.#further);
    await files.write(settingsPath(home), text);
    this.#seen = text;
  }

  async #setAside(text: string): Promise<string> {
    const { home, files, clock } = this.#options;
    const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-');
    const aside = join(home, `settings.damaged-${time}.json`);
    await files.write(aside, text);
    return aside;
  }

  #tell(stored: StoredSettings, kept: string): void {
    const guards = stored.guardsKnown ? '' : ' Look at the guards of your clusters: some may be lost.';
    this.#options.onDamage({
      code: 'settings.invalid',
      message: `The settings file ${settingsPath(this.#options.home)} is damaged. ${kept}`,
      cause: `In it, ${stored.damage.slice(0, 5).join('; ')}.`,
      next: `Choose again what is missing, or mend the file.${guards}`,
    });
  }

  #inOrder(action: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(action);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

function settingsPath(home: string): string {
  return join(home, 'settings.json');
}

async function readText({
  home,
  files,
}: Pick<SettingsOptions, 'home' | 'files'>): Promise<string | undefined> {
  return (await files.read(settingsPath(home)))?.toString('utf8');
}
