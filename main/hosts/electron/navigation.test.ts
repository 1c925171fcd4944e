import { expect, test } from 'vitest';
import { isBundleAddress, isPageAddress } from './bundle-address.ts';
import { lockNavigation } from './navigation.ts';
import { FakeContents } from './testing/fake-contents.ts';

function locked(): { contents: FakeContents; refused: string[] } {
  const contents = new FakeContents();
  const refused: string[] = [];
  lockNavigation(contents.contents, (what, address) => refused.push(`${what} ${address}`));
  return { contents, refused };
}

const elsewhere = [
  'https://example.com/',
  'http://localhost:8080/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,<p>',
  'app://bundle.example/',
  'app://bundle/assets/index.js',
  'slipway://session/abc',
];

test.each(elsewhere)('a window does not go to %s', (url) => {
  const { contents, refused } = locked();
  expect(contents.tryTo('will-navigate', { url })).toBe('prevented');
  expect(contents.tryTo('will-redirect', { url })).toBe('prevented');
  expect(contents.tryTo('will-frame-navigate', { url, isMainFrame: true })).toBe('prevented');
  expect(refused).toHaveLength(3);
});

test('a reload of the page is no way out', () => {
  const { contents, refused } = locked();
  for (const url of ['app://bundle/', 'app://bundle/#/session/a']) {
    expect(contents.tryTo('will-navigate', { url })).toBe('done');
    expect(contents.tryTo('will-frame-navigate', { url, isMainFrame: true })).toBe('done');
  }
  expect(refused).toEqual([]);
});

test('no frame within the page goes anywhere, and no redirect is followed', () => {
  const { contents } = locked();
  expect(contents.tryTo('will-frame-navigate', { url: 'app://bundle/', isMainFrame: false })).toBe(
    'prevented',
  );
  expect(contents.tryTo('will-redirect', { url: 'app://bundle/' })).toBe('prevented');
});

test('no window is opened and no webview attached', () => {
  const { contents, refused } = locked();
  expect(contents.openHandler?.({ url: 'https://example.com/' })).toEqual({ action: 'deny' });
  expect(contents.openHandler?.({ url: 'app://bundle/' })).toEqual({ action: 'deny' });
  expect(contents.tryTo('will-attach-webview')).toBe('prevented');
  expect(refused).toEqual(['window https://example.com/', 'window app://bundle/', 'webview ']);
});

test.each([
  ['app://bundle/', true, true],
  ['app://bundle/#x', true, true],
  ['app://bundle/?x', true, false],
  ['app://bundle/a.js', true, false],
  ['APP://bundle/', true, true],
  ['app://bundle:1/', false, false],
  ['app://a@bundle/', false, false],
  ['app://bundle.evil/', false, false],
  ['apps://bundle/', false, false],
  ['', false, false],
])('%s is of the bundle: %s; is the page: %s', (address, bundle, page) => {
  expect(isBundleAddress(address)).toBe(bundle);
  expect(isPageAddress(address)).toBe(page);
});
