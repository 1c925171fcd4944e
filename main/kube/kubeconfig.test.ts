import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupContexts } from './group-contexts.ts';
import { contextNames } from './kubeconfig.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { loadKubeconfig, watchKubeconfig } from './kubeconfig-load.ts';
import { parseKubeconfig } from './kubeconfig-parse.ts';
import { selectContext } from './kubeconfig-select.ts';

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

describe('a kubeconfig with mistakes', () => {
  const good = '{name: good, context: {cluster: c, user: u}}';
  const rest =
    'clusters: [{name: c, cluster: {server: "https://x.example.test"}}]\nusers: [{name: u, user: {token: t}}]\n';

  it('keeps the good entries beside a bad one, and says what is wrong when the bad one is chosen', async () => {
    const path = write(
      'config',
      `contexts: [${good}, {name: bad, context: {cluster: d, user: u}}]
clusters: [{name: c, cluster: {server: "https://x.example.test"}}, {name: d, cluster: {server: 7}}]
users: [{name: u, user: {token: t}}]
`,
    );
    const config = await load(path);
    expect(selectContext(config, { context: 'good' }).user.token).toBe('t');
    expect(config.problems).toHaveLength(1);
    expect(() => selectContext(config, { context: 'bad' })).toThrow(/its cluster "d" is not usable/);
  });

  it('is told that a word of YAML has to be quoted', () => {
    const { problems } = parseKubeconfig('config', 'users: [{name: u, user: {password: no}}]\n');
    expect(problems[0]?.message).toMatch(/users "u".password is not a text.*quotes/);
  });

  it('never takes one of two entries of the same name', async () => {
    const path = write(
      'config',
      `contexts: [${good}]\nclusters: [{name: c, cluster: {server: "https://x.example.test"}}, {name: c, cluster: {server: "https://y.example.test"}}]\n`,
    );
    const config = await load(path);
    expect(() => selectContext(config, { context: 'good' })).toThrow(/"c" is not usable/);
  });

  it('is not hidden by a later file that has the broken name too', async () => {
    const first = write('first', 'clusters: [{name: c, cluster: {server: [x]}}]\n');
    const second = write('second', `contexts: [${good}]\n${rest}`);
    const config = await load(first, second);
    expect(() => selectContext(config, { context: 'good' })).toThrow(/its cluster "c" is not usable/);
  });

  it('keeps the other files when one cannot be read', async () => {
    const broken = write('broken', 'clusters: [\n');
    const fine = write('fine', `contexts: [${good}]\n${rest}`);
    const config = await load(broken, folder, fine);
    expect(selectContext(config, { context: 'good' }).cluster.server).toBe('https://x.example.test');
    expect(config.problems.map(({ file }) => file)).toEqual([broken, folder]);
  });

  it('does not print a secret in a problem', async () => {
    const { problems } = parseKubeconfig(
      'config',
      'users: [{name: u, user: {token: [hush], client-key-data: "hush hush"}}]\n',
    );
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('hush');
  });

  it('is an error when it is named explicitly and missing', async () => {
    const load = loadKubeconfig({ explicitPath: join(folder, 'nope'), environment: {} });
    await expect(load).rejects.toMatchObject({ code: 'kubeconfig.missing' });
  });

  it('that does not exist at all says how to get one', async () => {
    const config = await loadKubeconfig({ environment: { HOME: folder } });
    expect(() => selectContext(config, {})).toThrow(expect.objectContaining({ code: 'kubeconfig.missing' }));
  });
});

describe('contexts', () => {
  it('of one cluster and one user are one group with their namespaces', () => {
    const contexts = Array.from(
      { length: 10 },
      (_, i) => `{name: x${i}, context: {cluster: c, user: u, namespace: n${i}}}`,
    );
    const config = parseKubeconfig(
      'config',
      `contexts: [${contexts.join(', ')}, {name: z, context: {cluster: c2, user: v}}]
clusters: [{name: c, cluster: {server: "https://x.example.test"}}, {name: c2, cluster: {server: "https://x.example.test/"}}]
users: [{name: u, user: {token: t}}, {name: v, user: {token: t}}]
`,
    );
    const groups = groupContexts(config);
    expect(groups.map(({ userName, contexts: members }) => [userName, members.length])).toEqual([
      ['u', 10],
      ['v', 1],
    ]);
    expect(groups[0]?.contexts[3]).toEqual({ name: 'x3', namespace: 'n3' });
  });

  it('that are deleted from a watched file are gone within two seconds, and a file made later is seen', async () => {
    const first = write('first', 'contexts: [{name: a, context: {}}, {name: b, context: {}}]\n');
    const second = join(folder, 'second');
    const seen: string[][] = [];
    const environment = { KUBECONFIG: [first, second].join(delimiter) };
    await using watcher = watchKubeconfig({ environment }, (config) => seen.push(contextNames(config)));
    expect(watcher).toBeDefined();
    await new Promise((resolve) => setTimeout(resolve, 300));
    write('first', 'contexts: [{name: a, context: {}}]\n');
    await expect.poll(() => seen.at(-1), { timeout: 2000 }).toEqual(['a']);
    write('second', 'contexts: [{name: z, context: {}}]\n');
    await expect.poll(() => seen.at(-1), { timeout: 2000 }).toEqual(['a', 'z']);
    rmSync(first);
    await expect.poll(() => seen.at(-1), { timeout: 2000 }).toEqual(['z']);
  });
});
