import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextNames } from './kubeconfig.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { loadKubeconfig } from './kubeconfig-load.ts';
import { selectContext } from './kubeconfig-select.ts';
import { viewKubeconfig } from './kubeconfig-view.ts';
import type { ViewOptions } from './kubeconfig-view.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'slipway-kubeconfig-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function load(...paths: readonly string[]): Promise<Kubeconfig> {
  return loadKubeconfig({ environment: { HOME: folder, KUBECONFIG: paths.join(delimiter) } });
}

/** What kubectl answers, without the empty `preferences` that older ones print. */
async function kubectlView(paths: readonly string[], args: readonly string[]): Promise<unknown> {
  const environment = { ...process.env, HOME: folder, KUBECONFIG: paths.join(delimiter) };
  const { stdout } = await promisify(execFile)('kubectl', ['config', 'view', '-o', 'json', ...args], {
    env: environment,
  });
  const { preferences, ...rest } = JSON.parse(stdout) as Record<string, unknown>;
  return JSON.stringify(preferences) === '{}' ? rest : { ...rest, preferences };
}

function prepareTwoFiles(): string[] {
  write('certs/u.crt', 'certificate of u\n');
  write('sub/u.key', 'key of u\n');
  const a = write(
    'a',
    `apiVersion: v1
kind: Config
current-context: one
preferences: {colors: true}
clusters: [{name: c, cluster: {server: "https://a.example.test", certificate-authority-data: Y2E=}}]
contexts: [{name: one, context: {cluster: c, user: u, namespace: ns}}]
extensions: [{name: x, extension: {a: [1, {b: ~}]}}]
`,
  );
  const b = write(
    'sub/b',
    `current-context: two
clusters: [{name: c, cluster: {server: "https://b.example.test"}}]
contexts: [{name: two, context: {cluster: c, user: p}}, {name: one, context: {cluster: other, user: p}}]
users:
- {name: u, user: {client-certificate: ../certs/u.crt, client-key: u.key}}
- {name: p, user: {username: bob, password: secret, exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Never, env: [{name: E, value: v}]}}}
- {name: t, user: {token: secret, client-key-data: a2V5}}
`,
  );
  return [a, join(folder, 'missing'), b];
}

describe('several kubeconfig files', () => {
  it('merge as kubectl does: current context, cluster and certificate path', async () => {
    const paths = prepareTwoFiles();
    const config = await load(...paths);
    const flat = await viewKubeconfig(config, { flatten: true, readFile });
    expect(flat).toEqual(await kubectlView(paths, ['--flatten']));
    const selection = selectContext(config, {});
    expect(selection.contextName).toBe('one');
    expect(selection.cluster.server).toBe('https://a.example.test');
    expect(selection.user['client-certificate']).toBe(join(folder, 'certs/u.crt'));
  });

  const views: readonly (readonly [string, readonly string[], Omit<ViewOptions, 'readFile'>])[] = [
    ['as they are', [], {}],
    ['raw', ['--raw'], { raw: true }],
    ['cut down', ['--minify'], { minify: true }],
    [
      'cut down to a named context',
      ['--minify', '--context', 'two', '--raw'],
      { minify: true, context: 'two', raw: true },
    ],
    ['cut down and flattened', ['--minify', '--flatten'], { minify: true, flatten: true }],
  ];
  it.each(views)('show %s what kubectl shows', async (_name, args, options) => {
    const paths = prepareTwoFiles();
    expect(await viewKubeconfig(await load(...paths), { ...options, readFile })).toEqual(
      await kubectlView(paths, args),
    );
  });

  it('ignores empty elements and lists a file once', async () => {
    const [a = ''] = prepareTwoFiles();
    expect(contextNames(await load('', a, '', a))).toEqual(['one']);
  });
});
