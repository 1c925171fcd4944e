import { describe, expect, it } from 'vitest';
import { cacheHome, stateHome } from './home.ts';

describe('the state folder', () => {
  it.each([
    [{ SLIPWAY_HOME: '/x', HOME: '/h' }, 'linux', '/x'],
    [{ SLIPWAY_HOME: '', HOME: '/h' }, 'linux', '/h/.local/state/slipway'],
    [{ HOME: '/h', XDG_STATE_HOME: '/s' }, 'linux', '/s/slipway'],
    [{ HOME: '/h', XDG_STATE_HOME: '' }, 'linux', '/h/.local/state/slipway'],
    [{ HOME: '/h' }, 'darwin', '/h/Library/Application Support/Slipway'],
  ] as const)('with %j on %s is %s', (environment, platform, expected) => {
    expect(stateHome(environment, platform)).toBe(expected);
  });
});

describe('the cache folder', () => {
  it.each([
    [{ HOME: '/h', SLIPWAY_HOME: '/x' }, 'linux', '/h/.cache/slipway/compiled'],
    [{ HOME: '/h', XDG_CACHE_HOME: '/c' }, 'linux', '/c/slipway/compiled'],
    [{ HOME: '/h' }, 'darwin', '/h/Library/Caches/Slipway'],
  ] as const)('with %j on %s is %s', (environment, platform, expected) => {
    expect(cacheHome(environment, platform)).toBe(expected);
  });
});
