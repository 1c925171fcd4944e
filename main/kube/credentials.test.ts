import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCredentials, impersonationHeaders } from './credentials.ts';
import type { Credential, Credentials } from './credentials.ts';
import type { UserEntry } from './kubeconfig.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import type { FakeClock } from './testing/fake-clock.ts';

let folder: string;
let clock: FakeClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-credentials-'));
  clock = createFakeClock();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function credentialsOf(user: UserEntry): Credentials {
  const cluster = { server: 'https://api.example.test' };
  const selection = {
    contextName: 'x',
    namespace: 'default',
    clusterName: 'c',
    userName: 'u',
    cluster,
    user,
  };
  return createCredentials({ selection, environment: {}, clock });
}

const bearer = ({ headers }: Credential): unknown => headers['authorization'];

describe('a token file', () => {
  it('is read again after a minute, and kept when it is away then', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, ' first\n');
    const credentials = credentialsOf({ tokenFile });
    expect(bearer(await credentials.current())).toBe('Bearer first');
    writeFileSync(tokenFile, 'second');
    await clock.advance(59_000);
    expect(bearer(await credentials.current())).toBe('Bearer first');
    await clock.advance(1_000);
    expect(bearer(await credentials.current())).toBe('Bearer second');
    rmSync(tokenFile);
    await clock.advance(61_000);
    expect(bearer(await credentials.current())).toBe('Bearer second');
  });

  it('is read at once after the server refused its token', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'first');
    const credentials = credentialsOf({ tokenFile });
    const used = await credentials.current();
    writeFileSync(tokenFile, 'second');
    expect(await credentials.reject(used)).toBe(true);
    expect(bearer(await credentials.current())).toBe('Bearer second');
    expect(await credentials.reject(used)).toBe(false);
  });

  it('that is missing is named', async () => {
    const work = credentialsOf({ tokenFile: join(folder, 'nope') }).current();
    await expect(work).rejects.toMatchObject({
      code: 'credential.file-unreadable',
      message: expect.stringContaining('nope') as string,
    });
  });
});

describe('signing in', () => {
  it('with a fixed token is not tried twice', async () => {
    const credentials = credentialsOf({ token: 'fixed' });
    expect(await credentials.reject(await credentials.current())).toBe(false);
  });

  it('with nothing is refused', async () => {
    await expect(credentialsOf({}).current()).rejects.toMatchObject({ code: 'kubeconfig.invalid' });
  });

  it('as somebody else names user, uid, groups and extras as client-go does', () => {
    const headers = impersonationHeaders({
      as: 'jané',
      'as-uid': '7',
      'as-groups': ['a', 'b'],
      'as-user-extra': { 'example.com/Scope x': ['v'] },
    });
    expect(headers).toEqual({
      'Impersonate-User': Buffer.from('jané').toString('latin1'),
      'Impersonate-Uid': '7',
      'Impersonate-Group': ['a', 'b'],
      'Impersonate-Extra-example.com%2FScope%20x': ['v'],
    });
  });
});
