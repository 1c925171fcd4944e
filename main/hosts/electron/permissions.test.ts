import type { Session } from 'electron';
import { expect, test } from 'vitest';
import { isPermitted, limitPermissions } from './permissions.ts';

const asked = [
  'media',
  'geolocation',
  'notifications',
  'clipboard-read',
  'openExternal',
  'fullscreen',
  'hid',
  'usb',
];

test('only writing text to the clipboard is permitted, and only to our page', () => {
  expect(asked.filter((permission) => isPermitted(permission, 'app://bundle/'))).toEqual([]);
  expect(isPermitted('clipboard-sanitized-write', 'app://bundle/')).toBe(true);
  expect(isPermitted('clipboard-sanitized-write', 'https://example.com/')).toBe(false);
  expect(isPermitted('clipboard-sanitized-write', '')).toBe(false);
});

test('both handlers decide, and devices are denied', () => {
  const handlers: Record<string, (...args: unknown[]) => unknown> = {};
  const keep = (name: string) => (handler: (...args: unknown[]) => unknown) => {
    handlers[name] = handler;
  };
  limitPermissions({
    setPermissionRequestHandler: keep('request'),
    setPermissionCheckHandler: keep('check'),
    setDevicePermissionHandler: keep('device'),
  } as unknown as Session);
  const answers: unknown[] = [];
  const answer = (granted: unknown): unknown => answers.push(granted);
  for (const permission of [...asked, 'clipboard-sanitized-write']) {
    handlers['request']?.(null, permission, answer, { requestingUrl: 'app://bundle/' });
    answers.push(handlers['check']?.(null, permission, 'app://bundle'));
  }
  expect(answers).toEqual([...asked.flatMap(() => [false, false]), true, true]);
  expect(handlers['device']?.({})).toBe(false);
});
