import { join } from 'node:path';
import { app, BrowserWindow, dialog, Menu, nativeTheme, protocol, session, shell } from 'electron';
import { compose } from '../../compose.ts';
import { composeWindow } from '../../compose-window.ts';
import { electronPort } from '../../ipc/electron-ipc.ts';
import { registerBundleScheme, serveBundle } from './app-protocol.ts';
import { AppWindows } from './app-windows.ts';
import { guardClosing } from './closing.ts';
import { deepLinkHash, deepLinkIn, deepLinkScheme, parseDeepLink } from './deep-links.ts';
import { endWithApp } from './end-with-app.ts';
import { hostAbilities } from './host-abilities.ts';
import { menuTemplate } from './menu.ts';
import { limitPermissions } from './permissions.ts';
import { guardedSessions } from './session-list.ts';
import { claimSingleInstance, type Starts } from './single-instance.ts';
import { startTheme, windowOptions } from './window-options.ts';
import { openWindow } from './window.ts';

/** Where package.json is: the repository, or the packed archive. */
const root = app.getAppPath();

// Before the app is ready, and in this order: the scheme, the sandbox for every page, the claim to be the only one.
registerBundleScheme(protocol);
app.enableSandbox();
const starts = claimSingleInstance(app);
if (starts === undefined) app.quit();
else
  start(starts).catch((error: unknown) => {
    dialog.showErrorBox('Slipway could not start', textOf(error));
    app.exit(1);
  });

/** Not awaited by the module: Electron is ready only after its main module has run. */
async function start({ onStart }: Starts): Promise<void> {
  const services = compose({
    environment: process.env,
    platform: process.platform,
    helperFolder: app.isPackaged ? join(process.resourcesPath, 'helper') : join(root, 'assets/helper'),
  });
  const windows = new AppWindows({
    open: (sort, hash) =>
      openWindow({
        create: (options) => new BrowserWindow(options),
        options: windowOptions({
          sort,
          theme: startTheme(main.settings.value.theme, nativeTheme.shouldUseDarkColors),
          preload: join(root, 'dist/preload/preload.cjs'),
          icon: join(root, 'assets/icon.png'),
        }),
        hash,
        accept: (page) => main.dispatcher.connect(electronPort(page)),
        log,
      }),
    onMain: (window) => closing.watch(window),
  });
  const main = await composeWindow({
    services,
    abilities: {
      host: 'desktop',
      startFolder: process.cwd(),
      ...hostAbilities({ dialog, shell, window: () => BrowserWindow.getFocusedWindow() }),
      openWindow: (hash) => windows.openDetached(hash),
    },
    environment: process.env,
    platform: process.platform,
    onBug: (error) => log(textOf(error)),
  });
  const closing = guardClosing({
    app,
    dialog,
    sessions: guardedSessions(main),
    platform: process.platform,
    windows: () => windows.mainCount,
  });
  endWithApp(app, main, services.clock);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void closing.stopAndQuit());

  await app.whenReady();
  serveBundle(protocol, join(root, 'dist/renderer'));
  limitPermissions(session.defaultSession);
  if (app.isPackaged) app.setAsDefaultProtocolClient(deepLinkScheme);

  const show = (hash: string | undefined): void => windows.show(BrowserWindow.getFocusedWindow(), hash);
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      menuTemplate({
        platform: process.platform,
        packaged: app.isPackaged,
        newWindow: () => windows.openMain(undefined),
        openSettings: () => show('#/settings'),
      }),
    ),
  );
  app.on('activate', () => show(undefined));
  windows.openMain(pageOf(deepLinkIn(process.argv)));
  onStart((link) => show(pageOf(link)));
}

/** What a link shows; nothing in particular when it is not one of ours. */
function pageOf(link: string | undefined): string | undefined {
  return link === undefined ? undefined : deepLinkHash(parseDeepLink(link));
}

function log(line: string): void {
  process.stderr.write(`slipway: ${line}\n`);
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
