import type { Doctor } from '../../contract/settings.ts';
import type { HandlersOf } from '../ipc/handlers.ts';
import type { SettingsStore } from './settings-store.ts';

export interface SettingsHandlersDeps {
  readonly settings: SettingsStore;
  readonly doctor: (signal: AbortSignal) => Promise<Doctor>;
}

/** What a window may ask about settings. */
export function createSettingsHandlers({ settings, doctor }: SettingsHandlersDeps): HandlersOf<'settings'> {
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
    'settings.doctor': (_input, { signal }) => doctor(signal),
  };
}
