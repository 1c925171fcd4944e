import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { apply, kubectl, makeNamespace } from '../support/kubectl.ts';
import { RunningSlipway } from '../support/slipway.ts';

const saves = 20;
/** Enough that a file which is not put in place whole would be seen in halves. */
const paddingBytes = 256 * 1024;
const padding = (comment: string): string => `${comment} ${'-'.repeat(78)}\n`.repeat(paddingBytes / 80);
const port = 8080;

/** A program of the field that loads a source file anew when it changes, and a server in that file. */
interface Loop {
  readonly name: string;
  readonly image: string;
  readonly file: string;
  /** Answers with the version; does not load when it holds the beginning of one version and the end of another. */
  readonly source: (version: string) => string;
  readonly others?: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** Folders of the host that its programs are in: none of them is in an image. */
  readonly hostFolders?: readonly string[];
  readonly writableFolders?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What its log holds when a half file was loaded. */
  readonly torn: RegExp;
}

const pythonSource = (serve: string, version: string): string =>
  `begin = '${version}'\n${padding('#')}end = '${version}'\nassert begin == end\n${serve}\n`;

const debian = ['/usr', '/lib', '/lib64', '/etc/alternatives'];

/** A tool that other ones of its kind are measured by is one that misses no save of a plain folder: air misses some. */
const reflexVersion = 'v0.3.1';
const toolsFolder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'slipway/test-tools');
const reflexFolder = join(toolsFolder, `reflex-${reflexVersion}`);
/** Go's own cache, by content: compiling its library anew would take longer than everything else here. */
const goCache = join(toolsFolder, 'go-build');

function goEnvironment(name: string): string {
  return execFileSync('go', ['env', name], { encoding: 'utf8' }).trim();
}

const loops: readonly Loop[] = [
  {
    name: 'node --watch, which watches the file itself',
    image: 'sandbox/node:1',
    file: 'server.js',
    source: (version) =>
      `const begin = '${version}';\n${padding('//')}const end = '${version}';\n` +
      `if (begin !== end) throw new Error('torn');\n` +
      `require('node:http').createServer((_, response) => response.end(end)).listen(${port});\n`,
    command: ['node', '--watch', 'server.js'],
    torn: /torn|Error/,
  },
  {
    name: "Python's watchmedo, which watches the folder",
    image: 'sandbox/web:1',
    file: 'server.py',
    source: (version) =>
      pythonSource(
        [
          'from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer',
          'class Answer(BaseHTTPRequestHandler):',
          '  def do_GET(self):',
          '    self.send_response(200)',
          '    self.end_headers()',
          '    self.wfile.write(end.encode())',
          '  def log_message(self, *_): pass',
          `ThreadingHTTPServer(('', ${port}), Answer).serve_forever()`,
        ].join('\n'),
        version,
      ),
    command: [
      ...[
        '/usr/bin/python3',
        '/usr/bin/watchmedo',
        'auto-restart',
        '--directory=.',
        '--pattern=*.py',
        '--signal=SIGTERM',
      ],
      ...['--', '/usr/bin/python3', 'server.py'],
    ],
    hostFolders: debian,
    torn: /AssertionError|SyntaxError|NameError/,
  },
  {
    name: "Flask's reloader, which compares times",
    image: 'sandbox/web:1',
    file: 'server.py',
    source: (version) =>
      pythonSource(
        [
          'from flask import Flask',
          'app = Flask(__name__)',
          "app.add_url_rule('/', view_func=lambda: end)",
          `app.run('0.0.0.0', ${port}, use_reloader=True, reloader_type='stat', reloader_interval=0.2)`,
        ].join('\n'),
        version,
      ),
    command: ['/usr/bin/python3', 'server.py'],
    hostFolders: debian,
    torn: /AssertionError|SyntaxError|NameError/,
  },
  {
    name: "Go's reflex, which builds and starts the program anew",
    image: 'sandbox/web:1',
    file: 'main.go',
    source: (version) =>
      `package main\n\nimport (\n\t"fmt"\n\t"net/http"\n)\n\nconst begin = "${version}"\n\n${padding('//')}\n` +
      `const end = "${version}"\n\n// Does not compile with different lengths of both.\nvar _ [len(begin)]int = [len(end)]int{}\n\n` +
      `func main() {\n\thttp.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {\n\t\tif begin == end {\n\t\t\tfmt.Fprint(w, end)\n\t\t}\n\t})\n` +
      `\tpanic(http.ListenAndServe(":${port}", nil))\n}\n`,
    others: { 'go.mod': 'module example\n\ngo 1.24\n' },
    command: [join(reflexFolder, 'reflex'), '-r', '\\.go$', '-s', '--', 'go', 'run', 'main.go'],
    hostFolders: [goEnvironment('GOROOT'), reflexFolder],
    writableFolders: [goCache],
    environment: {
      PATH: `${goEnvironment('GOROOT')}/bin:/bin:/usr/bin`,
      GOCACHE: goCache,
      GOPATH: '/var/tmp/go',
      GOTOOLCHAIN: 'local',
      CGO_ENABLED: '0',
    },
    torn: /syntax error|invalid array|cannot use|panic/,
  },
];

function deploymentOf(namespace: string, loop: Loop): unknown {
  const labels = { app: 'web' };
  const writable = loop.writableFolders ?? [];
  const folders = [...(loop.hostFolders ?? []), ...writable].map((path, index) => ({
    name: `host-${index}`,
    path,
    readOnly: !writable.includes(path),
  }));
  const environment = Object.entries(loop.environment ?? {}).map(([name, value]) => ({ name, value }));
  const wait = `until [ -s ${loop.file} ]; do sleep 0.1; done; exec "$@"`;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          volumes: [
            { name: 'app', emptyDir: {} },
            ...folders.map(({ name, path }) => ({ name, hostPath: { path } })),
          ],
          containers: [
            {
              name: 'web',
              image: loop.image,
              workingDir: '/app',
              command: ['sh', '-c', wait, 'sh', ...loop.command],
              env: environment,
              volumeMounts: [
                { name: 'app', mountPath: '/app' },
                ...folders.map(({ name, path, readOnly }) => ({ name, mountPath: path, readOnly })),
              ],
            },
          ],
        },
      },
    },
  };
}

function install(): void {
  mkdirSync(goCache, { recursive: true });
  if (existsSync(join(reflexFolder, 'reflex'))) return;
  mkdirSync(reflexFolder, { recursive: true });
  execFileSync('go', ['install', `github.com/cespare/reflex@${reflexVersion}`], {
    env: { ...process.env, GOBIN: reflexFolder, CGO_ENABLED: '0' },
    stdio: 'inherit',
  });
}

describe('a program that reloads', { timeout: 300_000 }, () => {
  let scratch = '';
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'slipway-reload-'));
    install();
  }, 300_000);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it.each(loops)(`$name: ${saves} saves are ${saves} reloads, none of them torn`, async (loop) => {
    await using namespace = await makeNamespace('e2e-reload');
    await apply(deploymentOf(namespace.name, loop));
    const folder = mkdtempSync(join(scratch, 'src-'));
    const path = join(folder, loop.file);
    for (const [name, text] of Object.entries(loop.others ?? {})) writeFileSync(join(folder, name), text);
    writeFileSync(path, loop.source('first'));
    const localPort = await freePort();
    await using session = new RunningSlipway({ home: join(scratch, namespace.name) }, [
      ...['dev', '-n', namespace.name, 'deploy/web'],
      ...['--path', `${folder}:/app`, '--port', `${localPort}:${port}`],
    ]);
    await session.ready();
    const answer = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${localPort}/`, { signal: AbortSignal.timeout(2000) })).text();
    const log = (): Promise<string> => kubectl('-n', namespace.name, 'logs', 'deploy/web-dev', '--tail=-1');
    await eventually(async () => expect(await answer()).toBe('first'), 60_000);
    for (let save = 1; save <= saves; save++) {
      const text = loop.source(`save-${save}`);
      if (save % 2 === 0) writeFileSync(path, text);
      else {
        writeFileSync(join(folder, `.${loop.file}.swp`), text);
        renameSync(join(folder, `.${loop.file}.swp`), path);
      }
      await eventually(async () => expect(await answer()).toBe(`save-${save}`), 20_000, 20).catch(
        async (error: unknown) => {
          const there = await kubectl(
            '-n',
            namespace.name,
            'exec',
            'deploy/web-dev',
            '--',
            'tail',
            '-n',
            '20',
            loop.file,
          );
          throw new Error(
            `save ${save} was not loaded; the log:\n${(await log()).slice(-2_000)}\nthe file:\n${there}`,
            {
              cause: error,
            },
          );
        },
      );
    }
    expect(await log()).not.toMatch(loop.torn);
    expect(await session.stop()).toBe(0);
  });
});
