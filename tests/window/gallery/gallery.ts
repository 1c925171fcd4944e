// Stands before the window's own scripts in the gallery's page: main is a scene, the clock stands still.
import { fakeSocketClass, type GalleryControl, type Overrides } from './fake/fake-socket.ts';
import { Refusal } from './fake/scene.ts';
import { now } from './fixtures/clock.ts';
import { settings } from './fixtures/settings.ts';
import { scenes } from './scenes/all.ts';

declare global {
  interface Window {
    gallery?: { readonly control: { current?: GalleryControl }; readonly names: readonly string[] };
  }
}

const query = new URLSearchParams(location.search);
const name = query.get('scenario') ?? Object.keys(scenes)[0] ?? '';
const chosen = scenes[name];
if (chosen === undefined) throw new Error(`There is no scene "${name}": ${Object.keys(scenes).join(', ')}`);

const appearance = {
  theme: query.get('theme') === 'light' ? ('light' as const) : ('dark' as const),
  zoom: Number(query.get('zoom') ?? '1'),
  reduceMotion: query.get('motion') !== 'full',
};
const overrides: Overrides = new Map();
const own = chosen.states?.['settings.current']?.({});
if (own === undefined || (typeof own === 'object' && !(own instanceof Refusal)))
  overrides.set('settings.current', { ...(own ?? settings), ...appearance });
localStorage.setItem('slipway.appearance', JSON.stringify(appearance));
localStorage.setItem('slipway.view', JSON.stringify(chosen.view ?? {}));
sessionStorage.setItem('slipway.dock', JSON.stringify(chosen.dock ?? {}));
sessionStorage.setItem('slipway.token', 'gallery');
if (location.hash === '')
  history.replaceState(null, '', `${location.pathname}${location.search}${chosen.hash}`);

const RealDate = Date;
/** Two pictures of one scene must not differ by what the time is. */
class StillDate extends RealDate {
  constructor(value?: number | string) {
    super(value ?? now);
  }

  static override now(): number {
    return now;
  }
}
if (query.get('clock') !== 'runs') window.Date = StillDate as DateConstructor;

const control: { current?: GalleryControl } = {};
window.gallery = { control, names: Object.keys(scenes) };
window.WebSocket = fakeSocketClass(chosen, overrides, control) as unknown as typeof WebSocket;
