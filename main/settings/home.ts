import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of the app's own state: SLIPWAY_HOME, else the platform's place for it. Never inside a project. */
export function stateHome(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const own = environment['SLIPWAY_HOME'];
  if (own !== undefined && own !== '') return own;
  const home = environment['HOME'] ?? environment['USERPROFILE'] ?? homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Slipway');
  if (platform === 'win32')
    return join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Slipway');
  const state = environment['XDG_STATE_HOME'];
  return join(state !== undefined && state !== '' ? state : join(home, '.local', 'state'), 'slipway');
}

/** The folder of what can be made anew at any time. */
export function cacheHome(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = environment['HOME'] ?? environment['USERPROFILE'] ?? homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'Slipway');
  if (platform === 'win32') return join(stateHome({ ...environment, SLIPWAY_HOME: '' }, platform), 'Cache');
  const cache = environment['XDG_CACHE_HOME'];
  return join(cache !== undefined && cache !== '' ? cache : join(home, '.cache'), 'slipway', 'compiled');
}
