import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proxyFor, proxyLabel } from './proxy.ts';

interface Case {
  readonly httpsProxy: string;
  readonly httpProxy: string;
  readonly noProxy: string;
  readonly url: string;
  readonly expected: string;
}

/** Recorded from golang.org/x/net/http/httpproxy, which decides for kubectl. */
const cases = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../tests/vectors/proxy/cases.json'), 'utf8'),
) as readonly Case[];

describe('the proxy for a server', () => {
  it.each(cases)('$url with "$httpsProxy", "$httpProxy", not for "$noProxy"', (given) => {
    const environment = {
      HTTPS_PROXY: given.httpsProxy,
      HTTP_PROXY: given.httpProxy,
      NO_PROXY: given.noProxy,
    };
    const proxy = proxyFor(new URL(given.url), undefined, environment);
    expect(proxy === undefined ? '' : proxyLabel(proxy)).toBe(given.expected);
  });

  it('is the one of the kubeconfig, whatever the environment says', () => {
    const environment = { HTTPS_PROXY: 'http://other.example.test:1', NO_PROXY: '*' };
    const proxy = proxyFor(
      new URL('https://api.example.test'),
      'socks5://own.example.test:1080',
      environment,
    );
    expect(proxy?.href).toBe('socks5://own.example.test:1080');
  });

  it('is read from lower case names too, and shown without its password', () => {
    const proxy = proxyFor(new URL('https://api.example.test'), undefined, {
      https_proxy: 'http://me:hush@p.example.test:1',
    });
    expect(proxy === undefined ? '' : proxyLabel(proxy)).toBe('http://p.example.test:1');
  });
});
