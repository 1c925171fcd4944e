import { expect, test } from 'vitest';
import { judgeRequest, type RequestOrigin } from './guard.ts';
import { staticFile } from './static-path.ts';

const page: RequestOrigin = {
  method: 'GET',
  target: '/',
  host: '127.0.0.1:4000',
  origin: undefined,
  isUpgrade: false,
};
const wire: RequestOrigin = { ...page, target: '/wire', origin: 'http://127.0.0.1:4000', isUpgrade: true };

test.each<[string, RequestOrigin]>([
  ['the page', page],
  ['the page by name', { ...page, host: 'localhost:4000' }],
  ['the page by its other address', { ...page, host: '[::1]:4000' }],
  ['a name in capitals', { ...page, host: 'LOCALHOST:4000' }],
  ['a look at its headers', { ...page, method: 'HEAD' }],
  ['a font, with its origin', { ...page, target: '/assets/a.woff2', origin: 'http://127.0.0.1:4000' }],
  ['the WebSocket', wire],
  ['the WebSocket by name', { ...wire, host: 'localhost:4000', origin: 'http://localhost:4000' }],
])('%s is allowed', (_what, request) => {
  expect(judgeRequest(request, 4000)).toEqual({ kind: 'allowed', host: request.host?.toLowerCase() });
});

test.each<[string, RequestOrigin, number]>([
  ['no Host', { ...page, host: undefined }, 403],
  ['a name that was made to point here', { ...page, host: 'evil.example:4000' }, 403],
  ['a name that ends like one of ours', { ...page, host: 'evil-localhost:4000' }, 403],
  ['a name that begins like one of ours', { ...page, host: 'localhost.evil.example:4000' }, 403],
  ['127.0.0.1 below a domain', { ...page, host: '127.0.0.1.evil.example:4000' }, 403],
  ['another port', { ...page, host: '127.0.0.1:4001' }, 403],
  ['no port', { ...page, host: '127.0.0.1' }, 403],
  ['another loopback address', { ...page, host: '127.0.0.2:4000' }, 403],
  ['an address of the network', { ...page, host: '192.168.1.2:4000' }, 403],
  ['everything', { ...page, host: '0.0.0.0:4000' }, 403],
  ['a dot at the end', { ...page, host: 'localhost.:4000' }, 403],
  ['a user in Host', { ...page, host: 'x@127.0.0.1:4000' }, 403],
  ['another page', { ...page, origin: 'http://evil.example' }, 403],
  ['an app on another port of this machine', { ...wire, origin: 'http://127.0.0.1:3000' }, 403],
  ['another name of this machine', { ...wire, origin: 'http://localhost:4000' }, 403],
  ['https', { ...wire, origin: 'https://127.0.0.1:4000' }, 403],
  ['a page without origin', { ...wire, origin: 'null' }, 403],
  ['a WebSocket without Origin', { ...wire, origin: undefined }, 403],
  ['a WebSocket elsewhere', { ...wire, target: '/' }, 404],
  ['a WebSocket with a query', { ...wire, target: '/wire?x=1' }, 404],
  ['a WebSocket that is posted', { ...wire, method: 'POST' }, 404],
  ['POST', { ...page, method: 'POST' }, 405],
  ['OPTIONS, which asks for CORS', { ...page, method: 'OPTIONS' }, 405],
  ['PUT', { ...page, method: 'PUT' }, 405],
  ['a whole address as the target', { ...page, target: 'http://evil.example/' }, 400],
  ['an asterisk', { ...page, target: '*' }, 400],
])('%s is refused', (_what, request, status) => {
  expect(judgeRequest(request, 4000)).toMatchObject({ kind: 'refused', status });
});

test('without a port only where it is the usual one', () => {
  expect(judgeRequest({ ...page, host: 'localhost' }, 80).kind).toBe('allowed');
  expect(judgeRequest({ ...page, host: 'localhost' }, 8080).kind).toBe('refused');
});

test.each([
  ['/', '/w/index.html', false],
  ['/index.html', '/w/index.html', false],
  ['/?x=1', '/w/index.html', false],
  ['/assets/index-BkSi4GOj.js', '/w/assets/index-BkSi4GOj.js', true],
  [
    '/assets/inter-latin-wght-normal-Dx4kXJAl.woff2',
    '/w/assets/inter-latin-wght-normal-Dx4kXJAl.woff2',
    true,
  ],
  ['/appearance.js', '/w/appearance.js', false],
  ['/assets/a%20b.css', '/w/assets/a b.css', false],
])('%s is the file %s', (target, path, immutable) => {
  expect(staticFile('/w', target)).toMatchObject({ path, immutable });
});

test.each([
  '/../secret.js',
  '/%2e%2e/secret.js',
  '/%2E%2E%2Fsecret.js',
  '/assets/..%2f..%2fsecret.js',
  '/assets/../../w-other/index.html',
  '/..%5csecret.js',
  '/assets\\..\\..\\secret.js',
  '/%2e%2e%5c%2e%2e%5csecret.js',
  '/%00.js',
  '/index.html%00.js',
  '/%ff.js',
  '/%',
  '/.env',
  '/.git/config.js',
  '/assets/.hidden.js',
  '/assets',
  '/assets/',
  '/secret',
  '/data.json',
  '//etc/passwd',
  '',
])('%s is no file', (target) => {
  expect(staticFile('/w', target)).toBeUndefined();
});
