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
