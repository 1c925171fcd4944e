import { expect, test } from 'vitest';
import { externalAddress } from './external.ts';

test.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['HTTPS://EXAMPLE.com', 'https://example.com/'],
  ['http://localhost:8080/', 'http://localhost:8080/'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/'],
  ['http://[::1]:3000/', 'http://[::1]:3000/'],
  // Browsers read every way of writing an IPv4 address; so does the parser, before anything is compared.
  ['http://0x7f.1/', 'http://127.0.0.1/'],
])('%s may open', (text, address) => {
  expect(externalAddress(text)).toBe(address);
});

test.each([
  'http://example.com/',
  'http://localhost.example.com/',
  'http://127.0.0.1.example.com/',
  'https://localhost@example.com/',
  'https://user:word@example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'vscode://open',
  'smb://server/share',
  'ms-settings:',
  'slipway://show',
  'app://bundle/',
  '//example.com',
  'example.com',
  '',
])('%j may not', (text) => {
  expect(externalAddress(text)).toBeUndefined();
});
