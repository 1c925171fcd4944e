import type { Action } from './action-registry.ts';

/** An action of the frame without what it does: id, name, group and default chord. */
type FrameShortcut = Omit<Action, 'run' | 'enabled'>;

/**
 * The frame's own actions. While a terminal has the focus only Ctrl+Shift chords reach Slipway, so what leads out of
 * one has such a chord.
 */
export const frameShortcuts = {
  commands: { id: 'palette.open', label: 'Show All Commands', category: 'Window', chord: 'Mod+Shift+P' },
  places: { id: 'places.open', label: 'Go To…', category: 'Window', chord: 'Mod+P' },
  shortcuts: { id: 'shortcuts.show', label: 'Show Keyboard Shortcuts', category: 'Window', chord: '?' },
  side: { id: 'side.toggle', label: 'Show or Hide Side', category: 'Window', chord: 'Mod+B' },
  dock: { id: 'dock.toggle', label: 'Show or Hide Dock', category: 'Window', chord: 'Mod+J' },
  focusPage: { id: 'focus.page', label: 'Move Focus to Page', category: 'Window', chord: 'Ctrl+Shift+M' },
  focusDock: { id: 'focus.dock', label: 'Move Focus to Dock', category: 'Window', chord: 'Ctrl+Shift+D' },
  focusSide: { id: 'focus.side', label: 'Move Focus to Side', category: 'Window', chord: 'Ctrl+Shift+S' },
  settings: { id: 'page.settings', label: 'Open Settings', category: 'Go', chord: 'Mod+,' },
  leftovers: { id: 'page.leftovers', label: 'Open Leftovers', category: 'Go' },
  welcome: { id: 'page.welcome', label: 'Open Welcome', category: 'Go' },
  back: { id: 'page.back', label: 'Go Back', category: 'Go', chord: 'Alt+ArrowLeft' },
  theme: { id: 'theme.next', label: 'Switch Between Light and Dark', category: 'Appearance' },
  zoomIn: { id: 'zoom.in', label: 'Zoom In', category: 'Appearance', chord: 'Mod+=' },
  zoomOut: { id: 'zoom.out', label: 'Zoom Out', category: 'Appearance', chord: 'Mod+-' },
  zoomReset: { id: 'zoom.reset', label: 'Reset Zoom', category: 'Appearance', chord: 'Mod+0' },
} as const satisfies Readonly<Record<string, FrameShortcut>>;

/** Takes a tab out of the dock, and in the window that it got brings it back. */
export const detachChord = 'Ctrl+Shift+E';

/** Clusters that have a chord of their own. */
export const mostClusterChords = 9;

/** The next step of the zoom in a direction: tenths, within what the settings allow. */
export function zoomStep(zoom: number, direction: 1 | -1): number {
  return Math.min(2, Math.max(0.8, Math.round((zoom + direction * 0.1) * 10) / 10));
}
