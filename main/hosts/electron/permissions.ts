import type { Session } from 'electron';
import { isBundleAddress } from './bundle-address.ts';

/** All that a page may do without asking: put text on the clipboard after a click. */
const allowed: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

/** Whether a page at `address` gets a permission. Nobody is asked: what is not needed is denied. */
export function isPermitted(permission: string, address: string): boolean {
  return allowed.has(permission) && isBundleAddress(address);
}

/** Denies cameras, places, devices and the rest, both when a page asks and when Chromium looks. */
export function limitPermissions(
  session: Pick<
    Session,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
  >,
): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) => {
    callback(isPermitted(permission, details.requestingUrl));
  });
  session.setPermissionCheckHandler((_contents, permission, origin) => isPermitted(permission, origin));
  session.setDevicePermissionHandler(() => false);
}
