import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { V1Service } from '@kubernetes/client-node';
import type { ContainerSummary } from '../../contract/workloads.ts';
import { systemClock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import type { Clusters } from '../clusters/clusters.ts';
import type { Kube, ResourceType } from '../kube/kube.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { SessionKnowledge } from './dependencies.ts';
import { parseFacts, whyBlind } from './container-facts.ts';
import { detect, detectionOf, lookAtFolder } from './detect.ts';
import { detectPorts } from './detect-ports.ts';
import { isWithin, openFolder } from './folder-reader.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-detect-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function detected(
  files: Readonly<Record<string, string>>,
  more: {
    readonly container?: Partial<ContainerSummary>;
    readonly facts?: Partial<ContainerFacts>;
    readonly defaults?: readonly string[];
  } = {},
) {
  const reader = await openFolder(await folderWith(files));
  const container = { name: 'web', ...more.container } as ContainerSummary;
  const facts =
    more.facts === undefined
      ? undefined
      : {
          workingFolder: undefined,
          programs: new Set<string>(),
          folders: new Map<string, string[]>(),
          ...more.facts,
        };
  return detectionOf({
    ...(await lookAtFolder(reader)),
    folder: reader.path,
    container,
    facts,
    ports: [],
    defaults: more.defaults ?? [],
  });
}

describe('the language of a folder', () => {
  it.each([
    [{ 'package.json': '{}' }, 'Node.js'],
    [{ 'package.json': '{}', 'tsconfig.json': '' }, 'TypeScript (Node.js)'],
    [{ 'go.mod': '' }, 'Go'],
    [{ 'pyproject.toml': '' }, 'Python'],
    [{ 'requirements.txt': '' }, 'Python'],
    [{ 'pom.xml': '' }, 'Java (Maven)'],
    [{ 'build.gradle.kts': '' }, 'Kotlin (Gradle)'],
    [{ 'Cargo.toml': '' }, 'Rust'],
    [{ Gemfile: '' }, 'Ruby'],
    [{ 'composer.json': '' }, 'PHP'],
    [{ 'shop.csproj': '' }, '.NET'],
    [{ 'index.html': '' }, 'Static site'],
    [{ 'notes.txt': '' }, undefined],
    [{}, undefined],
  ])('with %j is %s', async (files, language) => {
    expect((await detected(files as Record<string, string>)).language?.value).toBe(language);
  });
});

describe('the folder in the container', () => {
  const source = { 'package.json': '{}', 'server.js': '' };

  it('is where the container has the same project', async () => {
    const facts = {
      workingFolder: '/',
      folders: new Map([
        ['/srv/app', ['package.json']],
        ['/app', ['x']],
      ]),
    };
    expect((await detected(source, { facts })).containerPath).toEqual({
      value: '/srv/app',
      why: 'the running container has package.json there as well',
    });
  });

  it('is where the Dockerfile copies the folder', async () => {
    const files = { ...source, Dockerfile: 'FROM x\nWORKDIR /w\nCOPY . /code' };
    expect((await detected(files)).containerPath?.value).toBe('/code');
  });

  it("is the container's working folder, unless that is all of it", async () => {
    expect((await detected(source, { container: { workingDir: '/work' } })).containerPath?.value).toBe(
      '/work',
    );
    expect((await detected(source, { container: { workingDir: '/' } })).containerPath).toBeUndefined();
    expect((await detected(source, { facts: { workingFolder: '/app' } })).containerPath?.value).toBe('/app');
  });

  it('is not guessed', async () => {
    expect((await detected(source)).containerPath).toBeUndefined();
  });
});

describe('what is left out', () => {
  it('has a reason each', async () => {
    const files = {
      'package.json': '{}',
      'node_modules/x/index.js': '',
      'dist/x.js': '',
      'target/notes.txt': '',
      '.gitignore': '# made\n/dist\nnode_modules\n*.log\n!keep.log\n',
    };
    const { excludes } = await detected(files, { defaults: ['.git/'] });
    expect(excludes).toEqual([
      { value: '.git/', why: 'Settings, Sync names it for every session' },
      { value: 'node_modules/', why: 'packages hold programs built for the machine that installed them' },
      { value: 'dist/', why: 'it holds build output' },
      { value: '*.log', why: "it is in the folder's .gitignore" },
      { value: '!keep.log', why: "it is in the folder's .gitignore" },
    ]);
  });

  it('is what a language makes sooner or later, also while it is not there', async () => {
    const { excludes } = await detected({ 'package.json': '{}' });
    expect(excludes.map(({ value }) => value)).toEqual(['node_modules/']);
  });
});

describe('the command', () => {
  const scripts = JSON.stringify({ scripts: { dev: 'x', start: 'y' } });

  it('is the script for development, when the container has what runs it', async () => {
    const facts = { programs: new Set(['node', 'npm']) };
    expect((await detected({ 'package.json': scripts }, { facts })).command).toEqual({
      value: 'npm run dev',
      why: 'package.json has the script "dev", and the running container has npm',
    });
  });

  it('is what the script runs, when the container has that alone', async () => {
    const text = JSON.stringify({ scripts: { dev: 'node --watch server.js' } });
    const found = await detected({ 'package.json': text }, { facts: { programs: new Set(['node']) } });
    expect(found.command?.value).toBe('node --watch server.js');
    expect(found.command?.why).toContain('has node but no npm');
    const shell = JSON.stringify({ scripts: { dev: 'node a.js && rm -rf $X' } });
    const other = await detected({ 'package.json': shell }, { facts: { programs: new Set(['node']) } });
    expect(other.command).toBeUndefined();
  });

  it.each([
    ['the container was not looked into', { 'package.json': scripts }, undefined],
    ['the container has no npm', { 'package.json': scripts }, { programs: new Set(['node']) }],
    [
      'there is a lock of another program',
      { 'package.json': scripts, 'yarn.lock': '' },
      { programs: new Set(['npm']) },
    ],
    [
      'there is no such script',
      { 'package.json': '{"scripts":{"start":"y"}}' },
      { programs: new Set(['npm']) },
    ],
    ['package.json is broken', { 'package.json': '{' }, { programs: new Set(['npm']) }],
    ['package.json is something else', { 'package.json': '[{"scripts":1}]' }, { programs: new Set(['npm']) }],
  ])('is absent when %s', async (_why, files, facts) => {
    const found = await detected(files, facts === undefined ? {} : { facts });
    expect(found.command).toBeUndefined();
  });
});

describe('the ports', () => {
  const service = {
    metadata: { name: 'web' },
    spec: {
      ports: [
        { port: 80, targetPort: 'http' },
        { port: 9000, targetPort: 9090 },
        { port: 53, protocol: 'UDP' },
      ],
    },
  } as unknown as V1Service;

  it('are those of the container and of the Services, each with a free one here', async () => {
    const container = {
      name: 'web',
      ports: [
        { name: 'http', port: 80, protocol: 'TCP' },
        { port: 8080, protocol: 'TCP' },
        { port: 53, protocol: 'UDP' },
      ],
    };
    const taken = new Set([8080]);
    const freePort = async (port: number) => (taken.has(port) ? port + 1 : port);
    expect(await detectPorts({ container, services: [service], freePort })).toEqual([
      { value: { local: 8081, remote: 80 }, why: 'container web names it; 8080 is taken on this machine' },
      { value: { local: 8082, remote: 8080 }, why: 'container web names it; 8080 is taken on this machine' },
      { value: { local: 9090, remote: 9090 }, why: 'Service web leads there' },
    ]);
  });
});

describe('the folder reader', () => {
  it('does not follow links out of the folder', async () => {
    const outside = await folderWith({ 'package.json': '{"secret":1}' });
    const folder = await folderWith({ 'real/package.json': '{}' });
    await symlink(join(outside, 'package.json'), join(folder, 'package.json'));
    await symlink(outside, join(folder, 'away'));
    await symlink(join(folder, 'real', 'package.json'), join(folder, 'inner.json'));
    const reader = await openFolder(folder);
    expect(await reader.read('package.json')).toBeUndefined();
    expect(await reader.read('away/package.json')).toBeUndefined();
    expect(await reader.list('away')).toEqual([]);
    expect(await reader.read('../x')).toBeUndefined();
    expect(await reader.read('inner.json')).toBe('{}');
    expect(await reader.read('real')).toBeUndefined();
  });

  it('reads the start of what is large', async () => {
    const reader = await openFolder(await folderWith({ '.gitignore': 'x'.repeat(1_000_000) }));
    expect((await reader.read('.gitignore'))?.length).toBe(256 * 1024);
  });

  it('says what a path is that is no folder', async () => {
    const folder = await folderWith({ file: '' });
    await expect(openFolder(join(folder, 'none'))).rejects.toMatchObject({ code: 'sync.local-path-missing' });
    await expect(openFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'sync.local-path-missing' });
  });

  it.each([
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/ab', false],
    ['/a', '/', false],
    ['/a', '/a/..b', true],
  ])('in %s takes %s for its own: %s', (root, path, within) => {
    expect(isWithin(root, path)).toBe(within);
  });
});

describe('what a container says of itself', () => {
  it('is read line by line, and a refusal is nothing', () => {
    const output = 'cwd /app\nprogram node\nfolder /app\nitem package.json\nitem a b\nnoise\n';
    expect(parseFacts({ kind: 'ended', code: 0, output })).toEqual({
      workingFolder: '/app',
      programs: new Set(['node']),
      folders: new Map([['/app', ['package.json', 'a b']]]),
    });
    expect(parseFacts({ kind: 'refused', reason: 'no' })).toBeUndefined();
    expect(parseFacts({ kind: 'ended', code: 127, output: '' })).toBeUndefined();
  });
});

describe('a container that is not looked into', () => {
  it.each([
    [{ kind: 'refused', reason: 'x', code: 'cluster.read-only' }, /guard of this context/],
    [{ kind: 'refused', reason: 'x', code: 'cluster.confirmation-needed' }, /guard of this context/],
    [{ kind: 'refused', reason: 'x', code: 'cluster.forbidden' }, /You may not run commands.*pods\/exec/],
    [{ kind: 'refused', reason: 'The connection was lost.' }, /could not be looked into\. The connection/],
    [{ kind: 'ended', code: 127, output: '' }, /no shell/],
    [{ kind: 'cut', output: '' }, /no shell/],
  ] as const)('%j says why', (answer, why) => {
    expect(whyBlind(answer)).toMatch(why);
  });

  const object = {
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { spec: { containers: [{ name: 'web' }] } },
    },
  };
  const running = { containerStatuses: [{ name: 'web', state: { running: {} } }] };
  it.each<[string, object, SlipwayError | undefined, RegExp]>([
    ['that does not run yet', {}, undefined, /does not run in any of its pods now/],
    ['behind a guard', running, guarded('cluster.read-only'), /guard of this context/],
    ['that may not be entered', running, guarded('cluster.forbidden'), /You may not run commands/],
  ])('%s: the answer says so', async (_name, status, refusal, why) => {
    const folder = await folderWith({ 'index.html': '' });
    const pod = { metadata: { namespace: 'n', name: 'web-1', uid: 'u' }, status };
    const kube = {
      get: async () => object,
      list: async (type: ResourceType) => ({ items: type.kind === 'Pod' ? [pod] : [], resourceVersion: '1' }),
      exec: () => Promise.reject(refusal ?? new Error('Nothing runs')),
    } as unknown as Kube;
    const answer = await detect(
      {
        clusters: { kube: async () => kube } as unknown as Clusters,
        clock: systemClock,
        session: { selectorText: () => 'app=web', keys: { session: 's' } } as unknown as SessionKnowledge,
        openFolder,
        freePort: async (port) => port,
        defaultExcludes: () => [],
      },
      { cluster: 'c', namespace: 'n', kind: 'Deployment', name: 'web', folder },
      new AbortController().signal,
    );
    expect(answer.blind).toMatch(why);
    expect(answer.containerPath).toBeUndefined();
  });

  function guarded(code: 'cluster.read-only' | 'cluster.forbidden'): SlipwayError {
    return new SlipwayError({ code, message: 'No.', next: '' });
  }
});
