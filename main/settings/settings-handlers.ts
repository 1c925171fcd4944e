import type { Doctor } from '../../contract/settings.ts';
import type { HandlersOf } from '../ipc/handlers.ts';
import type { SettingsStore } from './settings-store.ts';

export interface SettingsHandlersDeps {
  readonly settings: SettingsStore;
  readonly doctor: (signal: AbortSignal) => Promise<Doctor>;
}

/** What a window may ask about settings. */
export function createSettingsHandlers({ settings, doctor }: SettingsHandlersDeps): HandlersOf<'settings'> {
  // Each look starts a dozen programs, so those who ask meanwhile share it; one that goes away ends it for nobody.
  let looking: Promise<Doctor> | undefined;
  const look = (): Promise<Doctor> => {
    looking ??= doctor(new AbortController().signal).finally(() => (looking = undefined));
    return looking;
  };
  return {
    'settings.current': () => ({
      get value() {
        return settings.value;
      },
      onChange: settings.onChange,
      [Symbol.dispose]() {},
    }),
    'settings.update': async ({ patch }) => {
      await settings.update(patch);
      return {};
    },
    'settings.doctor': () => look(),
  };
}
