import type { MenuItemConstructorOptions } from 'electron';

export interface MenuOptions {
  readonly platform: NodeJS.Platform;
  /** The developer tools are part of a build from a clone alone. */
  readonly packaged: boolean;
  readonly newWindow: () => void;
  readonly openSettings: () => void;
}

const separator: MenuItemConstructorOptions = { type: 'separator' };

/**
 * The application's menu: what a desktop expects of every program. Actions of Slipway's own are in the command palette.
 * There is no zoom here, since the window has its own (Settings > Appearance), which reflows.
 */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const isMac = options.platform === 'darwin';
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CommandOrControl+,',
    click: options.openSettings,
  };
  return [
    ...(isMac ? [applicationMenu(settings)] : []),
    {
      label: 'File',
      submenu: [
        { label: 'New Window', accelerator: 'CommandOrControl+Shift+N', click: options.newWindow },
        ...(isMac ? [] : [settings]),
        separator,
        isMac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'reload' },
        ...(options.packaged ? [] : [{ role: 'toggleDevTools' } as const]),
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
  ];
}

function applicationMenu(settings: MenuItemConstructorOptions): MenuItemConstructorOptions {
  return {
    label: 'Slipway',
    submenu: [
      { role: 'about' },
      separator,
      settings,
      separator,
      { role: 'services' },
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  };
}
