import type { BrowserWindow, Dialog, OpenDialogOptions, Shell } from 'electron';
import { SlipwayError } from '../../base/errors.ts';
import { externalAddress } from './external.ts';

export interface HostAbilitiesOptions {
  readonly dialog: Pick<Dialog, 'showOpenDialog'>;
  readonly shell: Pick<Shell, 'openExternal'>;
  /** The window that a dialog belongs to. */
  readonly window: () => BrowserWindow | null;
}

/** What the desktop can do that a page cannot: its folder dialog, and the user's browser. */
export function hostAbilities({ dialog, shell, window }: HostAbilitiesOptions): {
  chooseFolder(signal: AbortSignal): Promise<string | undefined>;
  openExternal(url: string): Promise<void>;
} {
  return {
    async chooseFolder(signal) {
      const options: OpenDialogOptions = { properties: ['openDirectory', 'createDirectory'] };
      const parent = window();
      const chosen = await (parent === null
        ? dialog.showOpenDialog(options)
        : dialog.showOpenDialog(parent, options));
      signal.throwIfAborted();
      return chosen.canceled ? undefined : chosen.filePaths[0];
    },
    async openExternal(url) {
      const address = externalAddress(url);
      if (address === undefined)
        throw new SlipwayError({
          code: 'usage.invalid',
          message: 'This address is not opened.',
          cause: 'Only https addresses, and http ones of this machine, go to the browser.',
          next: 'Copy it, and open it yourself if you trust it.',
        });
      await shell.openExternal(address);
    },
  };
}
