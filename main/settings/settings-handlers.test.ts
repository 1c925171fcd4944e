import { describe, expect, it } from 'vitest';
import type { Doctor } from '../../contract/settings.ts';
import { createSettingsHandlers } from './settings-handlers.ts';
import type { SettingsStore } from './settings-store.ts';

describe('the look for programs', () => {
  it('is one, however many ask for it, and goes on when one of them goes away', async () => {
    const looks: PromiseWithResolvers<Doctor>[] = [];
    const handlers = createSettingsHandlers({
      settings: {} as SettingsStore,
      doctor: async (signal) => {
        const look = Promise.withResolvers<Doctor>();
        signal.addEventListener('abort', () => look.reject(signal.reason));
        looks.push(look);
        return look.promise;
      },
    });
    const found: Doctor = { folders: [], loginShell: '', tools: [] };
    const windows = Array.from({ length: 100 }, () => new AbortController());
    const asked = windows.map(({ signal }) => handlers['settings.doctor']({}, { signal }));
    windows[0]?.abort();
    looks[0]?.resolve(found);
    expect(await Promise.all(asked)).toEqual(asked.map(() => found));
    expect(looks).toHaveLength(1);
    void handlers['settings.doctor']({}, { signal: new AbortController().signal });
    expect(looks).toHaveLength(2);
  });
});
