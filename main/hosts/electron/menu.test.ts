import { expect, test } from 'vitest';
import { menuTemplate } from './menu.ts';

function roles(platform: NodeJS.Platform, packaged: boolean): string[] {
  const template = menuTemplate({
    platform,
    packaged,
    newWindow: () => undefined,
    openSettings: () => undefined,
  });
  const items = template.flatMap((menu) => [menu, ...(Array.isArray(menu.submenu) ? menu.submenu : [])]);
  return items.map((item) => item.role ?? item.label ?? item.type ?? '');
}

test('developer tools are there from a clone alone', () => {
  expect(roles('linux', false)).toContain('toggleDevTools');
  expect(roles('linux', true)).not.toContain('toggleDevTools');
});

test("the zoom is the window's own", () => {
  expect(roles('linux', false).filter((role) => /zoom/i.test(role))).toEqual([]);
});

test('macOS has its application menu, the others quit from File', () => {
  expect(roles('darwin', true)).toEqual(expect.arrayContaining(['about', 'services', 'close', 'quit']));
  expect(roles('win32', true)).not.toContain('services');
  expect(roles('win32', true)).toContain('quit');
});
