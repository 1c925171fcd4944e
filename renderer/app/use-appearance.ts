import { useEffect } from 'react';
import { useAction, useRemote } from '../ipc/client.ts';
import { applyAppearance } from '../theme/appearance.ts';
import { useActions } from './actions.ts';
import { frameShortcuts, zoomStep } from './frame-actions.ts';

/** Gives the window the theme, zoom and motion of the settings, and the actions that change them. */
export function useAppearance(): void {
  const settings = useRemote('settings.current', {}).value;
  const { theme, zoom, reduceMotion } = settings ?? {};
  useEffect(() => {
    if (theme === undefined || zoom === undefined || reduceMotion === undefined) return undefined;
    return applyAppearance({ theme, zoom, reduceMotion });
  }, [theme, zoom, reduceMotion]);
  useAppearanceActions(zoom ?? 1);
}

function useAppearanceActions(zoom: number): void {
  const info = useRemote('app.info', {}).value;
  const update = useAction();
  const set = (patch: Record<string, unknown>) => void update.run('settings.update', { patch });
  const { zoomIn, zoomOut, zoomReset, theme } = frameShortcuts;
  // A browser has a zoom of its own, under the same chords.
  const zooms =
    info?.host === 'desktop'
      ? [
          { ...zoomIn, run: () => set({ zoom: zoomStep(zoom, 1) }), enabled: zoom < 2 },
          { ...zoomOut, run: () => set({ zoom: zoomStep(zoom, -1) }), enabled: zoom > 0.8 },
          { ...zoomReset, run: () => set({ zoom: 1 }), enabled: zoom !== 1 },
        ]
      : [];
  useActions([
    {
      ...theme,
      run: () => set({ theme: document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark' }),
    },
    ...zooms,
  ]);
}
