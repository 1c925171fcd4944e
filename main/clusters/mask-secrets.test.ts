import { expect, it } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

it.each([
  ['aws eks get-token --cluster-name shop', 'aws eks get-token --cluster-name shop'],
  ['login --client-secret=abc --id x', 'login --client-secret=••• --id x'],
  ['login --oidc-client-secret abc --id x', 'login --oidc-client-secret ••• --id x'],
  ['login --token --verbose', 'login --token --verbose'],
  ['env PASSWORD=abc A=b', 'env PASSWORD=••• A=b'],
  ['login --password=abc get', 'login --password=••• get'],
  ['login -token abc', 'login -token •••'],
])('the words of %s are shown as %s', (words, shown) => {
  expect(maskSecrets(words.split(' ')).join(' ')).toBe(shown);
});
