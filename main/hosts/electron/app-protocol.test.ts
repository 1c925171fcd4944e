import { mkdtempSync, symlinkSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageHeaders } from '../web/page-headers.ts';
import { bundleHandler, decideFile, registerBundleScheme, serveBundle } from './app-protocol.ts';

const folder = '/app/renderer';

test.each([
  ['app://bundle/', '/app/renderer/index.html', 'text/html; charset=utf-8'],
  ['app://bundle/#/settings', '/app/renderer/index.html', 'text/html; charset=utf-8'],
  ['app://bundle/assets/index-1.js', '/app/renderer/assets/index-1.js', 'text/javascript; charset=utf-8'],
  ['app://bundle/assets/a%20b.css?x=1', '/app/renderer/assets/a b.css', 'text/css; charset=utf-8'],
  ['app://bundle/assets/inter.woff2', '/app/renderer/assets/inter.woff2', 'font/woff2'],
])('serves %s', (address, path, type) => {
  expect(decideFile(folder, 'GET', address)).toEqual({ kind: 'file', path, type });
});

test.each([
  ['POST', 'app://bundle/', 405],
  ['HEAD', 'app://bundle/', 405],
  ['GET', 'app://other/', 403],
  ['GET', 'app://bundle.example/', 403],
  ['GET', 'app://user@bundle/', 403],
  ['GET', 'app://bundle:80/', 403],
  ['GET', 'file:///etc/passwd', 403],
  ['GET', 'not an address', 403],
  ['GET', 'app://bundle/..%2fsecret.js', 404],
  ['GET', 'app://bundle/..%2frenderer-old/index.html', 404],
  ['GET', 'app://bundle/a/..%2f..%2f..%2fsecret.js', 404],
  ['GET', 'app://bundle/..%5csecret.js', 404],
  ['GET', 'app://bundle/%00.js', 404],
  ['GET', 'app://bundle/%ff.js', 404],
  ['GET', 'app://bundle/.env', 404],
  ['GET', 'app://bundle/assets', 404],
] as const)('refuses %s %s', (method, address, status) => {
  expect(decideFile(folder, method, address)).toEqual({ kind: 'refused', status });
});

test.each(['app://bundle/%2e%2e/%2e%2e/etc/passwd.html', 'app://bundle//etc/passwd.html'])(
  '%s stays inside',
  (address) => {
    expect(decideFile(folder, 'GET', address)).toEqual({
      kind: 'file',
      path: '/app/renderer/etc/passwd.html',
      type: 'text/html; charset=utf-8',
    });
  },
);

describe('on a folder', () => {
  let root = '';
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'slipway-bundle-'));
    await mkdir(join(root, 'renderer'));
    await writeFile(join(root, 'renderer/index.html'), '<p>page</p>');
    await writeFile(join(root, 'secret.js'), 'secret');
    symlinkSync(join(root, 'secret.js'), join(root, 'renderer/.hidden'));
  });
  afterAll(() => rm(root, { recursive: true }));
  const get = (address: string): Promise<Response> =>
    bundleHandler(join(root, 'renderer'))({ method: 'GET', url: address });

  test('sends the policy, the type and nosniff with the page', async () => {
    const response = await get('app://bundle/');
    expect(await response.text()).toBe('<p>page</p>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const policy = response.headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join(' ')).not.toMatch(/unsafe-eval|\*|https?:/);
  });

  test('what is not there or outside has no content, and the policy all the same', async () => {
    for (const address of [
      'app://bundle/missing.js',
      'app://bundle/..%2fsecret.js',
      'app://bundle/.hidden',
    ]) {
      const response = await get(address);
      expect(response.status).toBeGreaterThanOrEqual(403);
      expect(await response.text()).toBe('');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });
});

test('the scheme is standard and secure, and gets no more than that', () => {
  const registered: unknown[] = [];
  registerBundleScheme({ registerSchemesAsPrivileged: (schemes) => registered.push(...schemes) });
  expect(registered).toEqual([
    {
      scheme: 'app',
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
});

test('only the scheme of the bundle is handled', () => {
  const handled: string[] = [];
  serveBundle({ handle: (scheme) => void handled.push(scheme) }, folder);
  expect(handled).toEqual(['app']);
});

test('the page may load in both hosts what it may load in one, but for where it is connected', () => {
  const rules = (headers: Readonly<Record<string, string>>): readonly string[] =>
    (headers['Content-Security-Policy'] ?? '').split('; ').filter((rule) => !rule.startsWith('connect-src'));
  expect(rules(pageHeaders())).toEqual(rules(pageHeaders('127.0.0.1:1')));
  expect(pageHeaders()['Content-Security-Policy']).toContain("connect-src 'self';");
});
