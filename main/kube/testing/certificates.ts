import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority made with openssl for one test file; `sign` issues from it. */
export interface Authority extends Disposable {
  readonly cert: string;
  sign(commonName: string, extensions?: string): Pair;
}

export const serverNames = 'subjectAltName=DNS:localhost,DNS:api.vec.test,IP:127.0.0.1';

export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-authority-'));
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-days',
    '2',
    '-subj',
    '/CN=test authority',
  );
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  let serial = 1;
  return {
    cert: read('ca.crt'),
    sign(commonName, extensions = '') {
      const name = `issued-${serial}`;
      serial += 1;
      openssl(
        'req',
        ...newKey,
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
        '-subj',
        `/CN=${commonName}`,
      );
      writeFileSync(join(folder, 'extensions'), extensions);
      const issuer = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', String(serial), '-days', '2'];
      openssl(
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        ...issuer,
        '-extfile',
        'extensions',
        '-out',
        `${name}.crt`,
      );
      return { cert: read(`${name}.crt`), key: read(`${name}.key`) };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
