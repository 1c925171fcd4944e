import type { BrowserWindowConstructorOptions } from 'electron';
import type { Settings } from '../../../contract/settings.ts';
import type { WindowSort } from './app-windows.ts';

/** `--surface-0` of the window's two themes (renderer/theme/tokens.css): painted before the page is there. */
const backgrounds = { dark: '#0f1318', light: '#f6f7f9' } as const;

/** The theme that the window is going to show, known before it shows anything. */
export function startTheme(theme: Settings['theme'], systemIsDark: boolean): 'dark' | 'light' {
  if (theme === 'system') return systemIsDark ? 'dark' : 'light';
  return theme;
}

/** Sizes in CSS pixels: a main window has room for the rail, the side and a page; a detached one for one terminal. */
const sizes = {
  main: { width: 1280, height: 832, minWidth: 720, minHeight: 480 },
  detached: { width: 880, height: 560, minWidth: 400, minHeight: 240 },
} as const satisfies Readonly<Record<WindowSort, BrowserWindowConstructorOptions>>;

export interface WindowOptions {
  readonly sort: WindowSort;
  readonly theme: 'dark' | 'light';
  /** The built preload script. */
  readonly preload: string;
  readonly icon: string;
}

/** How each window is made. What is safe by default is written down too, so that a changed default changes nothing. */
export function windowOptions({
  sort,
  theme,
  preload,
  icon,
}: WindowOptions): BrowserWindowConstructorOptions {
  return {
    ...sizes[sort],
    title: 'Slipway',
    // Shown when the page has painted; until then nobody sees an empty window.
    show: false,
    backgroundColor: backgrounds[theme],
    autoHideMenuBar: true,
    icon,
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      navigateOnDragDrop: false,
      safeDialogs: true,
      spellcheck: false,
      // The window has a zoom of its own that reflows.
      zoomFactor: 1,
      // Terminals and clocks of a window behind others go on.
      backgroundThrottling: false,
    },
  };
}
