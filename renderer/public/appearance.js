/**
 * Sets theme, zoom and motion as they were last time before anything is painted; the settings correct it later.
 * A file of its own, because the content policy forbids scripts within the page. Counterpart: theme/appearance.ts.
 */
{
  /** @type {{ theme?: unknown, zoom?: unknown, reduceMotion?: unknown }} */
  let kept = {};
  try {
    /** @type {unknown} */
    const value = JSON.parse(localStorage.getItem('slipway.appearance') ?? '{}');
    if (typeof value === 'object' && value !== null) kept = value;
  } catch {
    // Nothing kept, or storage is closed: the system's choice stands.
  }
  const root = document.documentElement;
  const dark =
    kept.theme === 'dark' || (kept.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset['theme'] = dark ? 'dark' : 'light';
  if (typeof kept.zoom === 'number') root.style.setProperty('--zoom', String(kept.zoom));
  if (kept.reduceMotion === true) root.dataset['motion'] = 'reduced';
}
