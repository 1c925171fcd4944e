import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { findExecutable, isExecutable } from '../kube/find-executable.ts';
import { createDoctor } from './doctor.ts';
import { createRunTool, toolTimeoutMs } from './run-tool.ts';

const { signal } = new AbortController();

describe('the doctor', () => {
  let folder = '';
  const program = (path: string, script: string): void => {
    writeFileSync(join(folder, path), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
    chmodSync(join(folder, path), 0o755);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-doctor-'));
    for (const name of ['own', 'login']) mkdirSync(join(folder, name));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const examine = (options: { plugins?: readonly string[]; login?: string | undefined } = {}) => {
    const environment = {
      PATH: [join(folder, 'own'), join(folder, 'gone')].join(delimiter),
      SHELL: '/bin/zsh',
    };
    return createDoctor({
      environment,
      loginShellPath: async () => ('login' in options ? options.login : join(folder, 'login')),
      findExecutable,
      isExecutable,
      plugins: () => options.plugins ?? [],
      runTool: createRunTool({ environment, clock: systemClock }),
    })(signal);
  };

  it('tells the folders of PATH, whose they are and whether they exist', async () => {
    const { folders, loginShell } = await examine();
    expect(folders).toEqual([
      { path: join(folder, 'own'), from: 'app', exists: true },
      { path: join(folder, 'gone'), from: 'app', exists: false },
      { path: join(folder, 'login'), from: 'login-shell', exists: true },
    ]);
    expect(loginShell).toMatch(/zsh knows 1 more folder/);
    expect((await examine({ login: undefined })).loginShell).toMatch(/did not tell/);
  });

  it('tells tools with their version, what is missing, and what is found in the login shell only', async () => {
    program('own/git', 'echo "git version 2.47.3"');
    program('own/docker', 'echo "Docker version 28.1.1, build 4eba377"; echo more');
    program('login/helm', 'echo v4.0.1+g1; [ "$1 $2" = "version --short" ]');
    program('own/kubectl', 'echo broken >&2; exit 3');
    const { tools } = await examine();
    expect(Object.fromEntries(tools.map((tool) => [tool.name, [tool.version, tool.problem]]))).toEqual({
      git: ['2.47.3', undefined],
      docker: ['28.1.1', undefined],
      helm: ['v4.0.1+g1', 'Found only in the PATH of the login shell.'],
      kubectl: [undefined, 'It ended with exit code 3: broken'],
      kustomize: [undefined, expect.stringContaining('Not found') as string],
    });
    expect(tools.find(({ name }) => name === 'helm')?.path).toBe(join(folder, 'login', 'helm'));
  });

  it('never runs a sign-in program that it does not know', async () => {
    const trace = join(folder, 'ran');
    program('own/unknown-plugin', `touch ${trace}`);
    program('own/path-plugin', `touch ${trace}`);
    mkdirSync(join(folder, 'evil'));
    program('evil/aws', `touch ${trace}`);
    program('own/doctl', 'echo "doctl version 1.130.0-release"');
    const plugins = ['unknown-plugin', join(folder, 'evil', 'aws'), 'doctl', 'missing-plugin', 'constructor'];
    const { tools } = await examine({ plugins });
    expect(tools.slice(-5).map(({ path, version, problem }) => [path, version, problem])).toEqual([
      [join(folder, 'own', 'unknown-plugin'), undefined, undefined],
      [join(folder, 'evil', 'aws'), undefined, undefined],
      [join(folder, 'own', 'doctl'), '1.130.0-release', undefined],
      [undefined, undefined, expect.stringContaining('cannot connect') as string],
      [undefined, undefined, expect.stringContaining('cannot connect') as string],
    ]);
    expect(existsSync(trace)).toBe(false);
  });

  it('waits for no program longer than its bound, and ends what it started', async () => {
    const trace = join(folder, 'lived-on');
    program('own/git', `(sleep 5; touch ${trace}) & sleep 60`);
    program('own/docker', 'yes | head -c 10000000');
    const started = Date.now();
    const { tools } = await examine();
    expect(Date.now() - started).toBeLessThan(toolTimeoutMs + 2000);
    expect(tools.find(({ name }) => name === 'git')?.problem).toMatch(/within 3 s/);
    expect(tools.find(({ name }) => name === 'docker')?.version).toBe('y');
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(existsSync(trace)).toBe(false);
  });
});
