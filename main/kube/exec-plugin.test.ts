import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import type { CredentialsOptions } from './credentials.ts';
import { createCredentials } from './credentials.ts';
import { parseExecAnswer } from './exec-credential.ts';
import { pluginTimeoutMs, usableUntil } from './exec-plugin.ts';
import type { ExecEntry } from './kubeconfig.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { startApiServer } from './testing/api-server.ts';
import { createAuthority } from './testing/certificates.ts';
import { connect } from './testing/connect.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'slipway-plugin-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function plugin(script: string, more: Partial<ExecEntry> = {}): ExecEntry {
  const command = join(folder, 'plugin');
  writeFileSync(command, `#!/bin/sh\n${script}\n`);
  chmodSync(command, 0o755);
  return {
    command,
    args: null,
    env: null,
    apiVersion,
    interactiveMode: 'Never',
    provideClusterInfo: false,
    ...more,
  };
}

/** A script that counts its runs and gives a token with that number. */
function counting(status = ''): string {
  return `echo run >> ${folder}/calls
printf '{"apiVersion":"${apiVersion}","kind":"ExecCredential","status":{"token":"t%s"${status}}}' "$(wc -l < ${folder}/calls | tr -d ' ')"`;
}

function calls(): number {
  const path = join(folder, 'calls');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
}

function credentialsOf(
  exec: ExecEntry,
  more: Partial<CredentialsOptions> = {},
): ReturnType<typeof createCredentials> {
  return createCredentials({
    selection: {
      contextName: 'x',
      namespace: 'default',
      clusterName: 'c',
      userName: 'u',
      cluster: { server: 'https://api.example.test' },
      user: { exec },
    },
    environment: { PATH: '/usr/bin:/bin' },
    clock: systemClock,
    ...more,
  });
}

async function failureOf(work: Promise<unknown>): Promise<SlipwayError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SlipwayError) return error;
  throw new Error(`Not an expected failure: ${String(error)}`);
}

describe('a credential plugin', () => {
  it('runs once for parallel requests, and not before there is one', async () => {
    await using credentials = credentialsOf(plugin(`sleep 0.2\n${counting()}`));
    expect(calls()).toBe(0);
    const all = await Promise.all([credentials.current(), credentials.current(), credentials.current()]);
    expect(all.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer t1',
      'Bearer t1',
      'Bearer t1',
    ]);
    expect(calls()).toBe(1);
  });

  it('with a credential of a minute runs four to eight times in five minutes of use', async () => {
    const clock = createFakeClock(Date.parse('2030-01-01T00:00:00Z'));
    // The script reads the time that the clock shows from a file.
    const script = counting(`,"expirationTimestamp":"'"$(cat ${folder}/expiry)"'"`);
    await using credentials = credentialsOf(plugin(script), { clock });
    for (let second = 0; second < 300; second += 5) {
      writeFileSync(join(folder, 'expiry'), new Date(clock.now() + 60_000).toISOString());
      await Promise.all([credentials.current(), credentials.current()]);
      await clock.advance(5_000);
    }
    expect(calls()).toBeGreaterThanOrEqual(4);
    expect(calls()).toBeLessThanOrEqual(8);
  });

  it('whose credential has ended already is not run again within a second', () => {
    const now = 1_000_000;
    expect(usableUntil({ expiresAt: now - 5 }, now)).toBe(now + 1_000);
    expect(usableUntil({ expiresAt: now + 60_000 }, now)).toBe(now + 54_000);
    expect(usableUntil({ expiresAt: now + 600_000 }, now)).toBe(now + 590_000);
    expect(usableUntil({}, now)).toBe(Infinity);
  });

  it('runs once more after a 401, and the user sees no error', async () => {
    const authority = createAuthority();
    await using server = await startApiServer({
      authority,
      handler: (request, response) => {
        if (request.headers.authorization === 'Bearer t1') response.writeHead(401);
        response.end('{}');
      },
    });
    const ca = Buffer.from(authority.cert).toString('base64');
    await using transport = connect(
      { server: server.address, 'certificate-authority-data': ca },
      { exec: plugin(counting()) },
    );
    await Promise.all([1, 2, 3].map(() => transport.json({ path: '/version' })));
    expect(calls()).toBe(2);
    server.handler = (_request, response) => void response.writeHead(401).end();
    const error = await failureOf(transport.json({ path: '/version' }));
    expect(error.code).toBe('cluster.unauthorized');
    expect(calls()).toBe(3);
    authority[Symbol.dispose]();
  });

  it('that hangs is ended with everything it started, and what it said is told', async () => {
    const exec = plugin(`echo waiting for you >&2; sleep 47 & echo $! > ${folder}/pid; wait`);
    await using credentials = credentialsOf(exec, { pluginTimeoutMs: 400 });
    const error = await failureOf(credentials.current());
    expect(error).toMatchObject({ code: 'credential.plugin-timeout', causeText: 'It said: waiting for you' });
    const pid = readFileSync(join(folder, 'pid'), 'utf8').trim();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('that leaves a process behind with its output open does not hold up', async () => {
    await using credentials = credentialsOf(plugin(`sleep 3 &\n${counting()}`), { pluginTimeoutMs: 2000 });
    expect((await credentials.current()).headers['authorization']).toBe('Bearer t1');
  });

  it('that fails is told with the end of its standard error, without control characters', async () => {
    const exec = plugin(
      `i=0; while [ $i -lt 2000 ]; do echo filler >&2; i=$((i+1)); done; printf '\\033[31mexpired\\n' >&2; exit 3`,
    );
    await using credentials = credentialsOf(exec);
    const error = await failureOf(credentials.current());
    expect(error.code).toBe('credential.plugin-failed');
    expect(error.causeText).toMatch(/^It ended with exit code 3: .*expired$/);
    expect(error.causeText.length).toBeLessThan(4200);
    expect(error.causeText).not.toContain('\u001b');
  });

  it('that is missing is named with the PATH that was searched and its hint', async () => {
    const exec = { ...plugin(''), command: 'no-such-plugin', installHint: 'Get it from your platform team.' };
    await using credentials = credentialsOf(exec);
    const error = await failureOf(credentials.current());
    expect(error.toValue()).toMatchObject({
      code: 'credential.plugin-missing',
      message: 'The sign-in plugin no-such-plugin was not found.',
      cause: 'It is not in PATH, which is /usr/bin:/bin.',
      next: 'Get it from your platform team.',
    });
  });

  it('that is only in the PATH of the login shell is found there, and runs with that PATH', async () => {
    const exec = plugin(`${counting()}\necho "$PATH" > ${folder}/path`);
    let asked = 0;
    const fallbackPath = async (): Promise<string> => {
      asked += 1;
      return `${folder}:/usr/bin:/bin`;
    };
    await using credentials = credentialsOf({ ...exec, command: 'plugin' }, { fallbackPath });
    await credentials.current();
    expect(asked).toBe(1);
    expect(readFileSync(join(folder, 'path'), 'utf8')).toBe(`${folder}:/usr/bin:/bin\n`);
  });

  it('gets the variables of its entry, and ours', async () => {
    const exec = plugin(`${counting()}\nenv > ${folder}/env`, { env: [{ name: 'REGION', value: 'a b' }] });
    await using credentials = credentialsOf(exec);
    await credentials.current();
    const seen = readFileSync(join(folder, 'env'), 'utf8');
    expect(seen).toContain('REGION=a b\n');
    expect(seen).toContain(
      `KUBERNETES_EXEC_INFO={"kind":"ExecCredential","apiVersion":"${apiVersion}","spec":{"interactive":false}}\n`,
    );
  });
});

describe('a plugin that asks', () => {
  const script = `echo "Open https://login.invalid code AB-12" >&2; printf 'user: ' >&2; read u || exit 4; [ "$u" = eve ] && printf '{"apiVersion":"${apiVersion}","kind":"ExecCredential","status":{"token":"t"}}'`;

  it('shows its question as it comes and takes the answer', async () => {
    const stdin = new PassThrough();
    let shown = '';
    const stderr = new Writable({
      write(chunk, _encoding, done) {
        shown += String(chunk);
        if (shown.endsWith('user: ')) stdin.write('eve\n');
        done();
      },
    });
    const exec = plugin(script, { interactiveMode: 'IfAvailable' });
    await using credentials = credentialsOf(exec, { interaction: { stdin, stderr } });
    expect((await credentials.current()).headers['authorization']).toBe('Bearer t');
    expect(shown).toContain('code AB-12');
  });

  it('and is waited for says so after a while', async () => {
    const clock = createFakeClock(Date.parse('2030-01-01T00:00:00Z'));
    let shown = '';
    const stderr = new Writable({
      write: (chunk, _encoding, done) => {
        shown += String(chunk);
        done();
      },
    });
    const exec = plugin('sleep 60', { interactiveMode: 'IfAvailable' });
    const credentials = credentialsOf(exec, { clock, interaction: { stdin: new PassThrough(), stderr } });
    const running = credentials.current().catch((error: unknown) => error);
    await expect
      .poll(async () => {
        await clock.advance(pluginTimeoutMs);
        return shown;
      })
      .toMatch(/^Waiting for the sign-in plugin .*plugin; Ctrl-C ends it\.\n$/);
    await credentials[Symbol.asyncDispose]();
    expect(await running).toBeInstanceOf(Error);
  });

  it('gets the end of input where nobody can be asked', async () => {
    await using credentials = credentialsOf(plugin(script, { interactiveMode: 'IfAvailable' }));
    expect((await failureOf(credentials.current())).causeText).toMatch(/exit code 4: Open https.*user:$/);
  });

  it('and has to is refused before it runs where nobody can be asked', async () => {
    await using credentials = credentialsOf(plugin(counting(), { interactiveMode: 'Always' }));
    expect((await failureOf(credentials.current())).causeText).toMatch(/no terminal/);
    expect(calls()).toBe(0);
  });
});

describe('the answer of a plugin', () => {
  const answer = (status: unknown): string => JSON.stringify({ kind: 'ExecCredential', apiVersion, status });

  it.each([
    ['nothing', ''],
    ['text', 'token'],
    ['no status', JSON.stringify({ kind: 'ExecCredential', apiVersion })],
    ['neither token nor certificate', answer({})],
    ['a certificate without its key', answer({ clientCertificateData: 'x' })],
    ['a token that would break a header', answer({ token: 'hush\r\nX-Evil: 1' })],
    ['an expiry that is no time', answer({ token: 'hush', expirationTimestamp: 'soon' })],
  ])('that is %s is not used, and not repeated', (_name, output) => {
    const parsed = parseExecAnswer(output, apiVersion);
    expect(parsed.kind).toBe('unusable');
    expect(JSON.stringify(parsed)).not.toContain('hush');
  });
});

function isAlive(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
