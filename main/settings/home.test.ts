import { describe, expect, it } from 'vitest';
import { stateHome } from './home.ts';

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
