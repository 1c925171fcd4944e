import { useCallback, useState } from 'react';
import type { ErrorValue } from '../../../contract/errors.ts';
import { useAction } from '../../ipc/client.ts';

/** Stores changes of the settings, one by one, and says how the latest one went. */
export interface Saver {
  /** A merge patch; `what` names it, like "Theme". Resolves with false when it could not be stored. */
  save(what: string, patch: Readonly<Record<string, unknown>>): Promise<boolean>;
  readonly pending: boolean;
  /** What was stored last. */
  readonly saved: string | undefined;
  readonly failed: { readonly what: string; readonly error: ErrorValue } | undefined;
}

export function useSaver(): Saver {
  const { run, pending, error } = useAction();
  const [saved, setSaved] = useState<string>();
  const [latest, setLatest] = useState('');
  const save = useCallback(
    async (what: string, patch: Readonly<Record<string, unknown>>) => {
      setSaved(undefined);
      setLatest(what);
      const stored = (await run('settings.update', { patch })) !== undefined;
      if (stored) setSaved(what);
      return stored;
    },
    [run],
  );
  return { save, pending, saved, failed: error === undefined ? undefined : { what: latest, error } };
}
