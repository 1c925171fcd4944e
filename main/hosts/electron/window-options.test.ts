import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTheme, windowOptions } from './window-options.ts';

const options = (theme: 'dark' | 'light') =>
  windowOptions({ sort: 'main', theme, preload: '/app/preload.cjs', icon: '/app/icon.png' });

test('the page has no Node, its own world and a sandbox', () => {
  expect(options('dark').webPreferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
  });
});

test('no web view, no weakened web security, no experiments', () => {
  const preferences = options('dark').webPreferences ?? {};
  expect(preferences).toMatchObject({
    webviewTag: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
  });
  expect(Object.keys(preferences)).not.toContain('enableBlinkFeatures');
});

test('before anything is painted the window has the background of its theme', () => {
  const tokens = readFileSync(new URL('../../../renderer/theme/tokens.css', import.meta.url), 'utf8');
  for (const theme of ['dark', 'light'] as const) {
    const block = tokens.slice(tokens.indexOf(`[data-theme='${theme}']`));
    expect(/--surface-0: (#[0-9a-f]{6});/.exec(block)?.[1]).toBe(options(theme).backgroundColor);
    expect(options(theme).show).toBe(false);
  }
});

test('the chosen theme counts, and the system where it is left to it', () => {
  expect(startTheme('light', true)).toBe('light');
  expect(startTheme('dark', false)).toBe('dark');
  expect(startTheme('system', true)).toBe('dark');
  expect(startTheme('system', false)).toBe('light');
});
