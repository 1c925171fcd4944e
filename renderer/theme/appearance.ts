import type { Settings } from '../../contract/settings.ts';

/** What of the settings changes how everything looks. */
export type Appearance = Pick<Settings, 'theme' | 'zoom' | 'reduceMotion'>;

const storageKey = 'slipway.appearance';
const darkQuery = '(prefers-color-scheme: dark)';

/** The theme that is shown: the chosen one, or the system's. */
export function shownTheme(theme: Appearance['theme'], systemIsDark: boolean): 'light' | 'dark' {
  if (theme === 'system') return systemIsDark ? 'dark' : 'light';
  return theme;
}

/**
 * Applies an appearance to the document, follows the system where it is left to it, and keeps it for the next
 * start (public/appearance.js reads it before the first paint). Returns what ends the following.
 */
export function applyAppearance({ theme, zoom, reduceMotion }: Appearance): () => void {
  const root = document.documentElement;
  const system = matchMedia(darkQuery);
  const show = () => {
    root.dataset['theme'] = shownTheme(theme, system.matches);
  };
  show();
  root.style.setProperty('--zoom', String(zoom));
  if (reduceMotion) root.dataset['motion'] = 'reduced';
  else delete root.dataset['motion'];
  try {
    localStorage.setItem(storageKey, JSON.stringify({ theme, zoom, reduceMotion }));
  } catch {
    // Without storage the next start shows the system's theme for a moment.
  }
  system.addEventListener('change', show);
  return () => system.removeEventListener('change', show);
}
