/**
 * What is in the hand-made images; images.ts makes them. A recipe is plain data, so that its
 * hash says whether an image has to be made anew.
 */
export interface ImageRecipe {
  readonly reference: string;
  readonly layers: readonly LayerRecipe[];
  readonly config: ImageConfig;
}

/** The fields of an OCI image configuration that the recipes use. */
export interface ImageConfig {
  readonly Cmd: readonly string[];
  readonly Env?: readonly string[];
  readonly WorkingDir?: string;
  readonly User?: string;
  readonly ExposedPorts?: Readonly<Record<string, object>>;
}

export interface LayerRecipe {
  readonly entries: readonly LayerEntry[];
}

export type LayerEntry =
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number }
  | { readonly kind: 'text'; readonly path: string; readonly text: string; readonly mode?: number }
  | { readonly kind: 'copy'; readonly path: string; readonly from: string; readonly mode?: number }
  | { readonly kind: 'link'; readonly path: string; readonly to: string };

/** Holds the namespaces of each pod; containerd is told its name. */
export const pauseImage = 'docker.io/sandbox/pause:1';

const searchPath = 'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
const port8080 = { '8080/tcp': {} };

export interface RecipeInputs {
  readonly busybox: string;
  readonly applets: readonly string[];
  readonly node: string;
  /** Shared libraries of the Node binary, loader included, as absolute paths. */
  readonly nodeLibraries: readonly string[];
  readonly staticServer: string;
  readonly pause: string;
}

export function describeImages(inputs: RecipeInputs): readonly ImageRecipe[] {
  const base = baseLayer(inputs);
  return [
    { reference: pauseImage, layers: [onlyFile(inputs.pause, '/pause')], config: { Cmd: ['/pause'] } },
    {
      reference: 'docker.io/sandbox/web:1',
      layers: [base, webLayer],
      config: {
        // As process 1 busybox httpd would ignore SIGTERM, and every pod take 30 s to end.
        Cmd: ['sh', '-c', 'trap "exit 0" TERM INT; httpd -f -p 8080 -h /app & wait'],
        Env: [searchPath],
        WorkingDir: '/app',
        ExposedPorts: port8080,
      },
    },
    {
      reference: 'docker.io/sandbox/node:1',
      layers: [base, nodeLayer(inputs), serverLayer],
      config: {
        Cmd: ['node', '--watch', 'server.js'],
        Env: [searchPath],
        WorkingDir: '/app',
        ExposedPorts: port8080,
      },
    },
    {
      reference: 'docker.io/sandbox/static:1',
      layers: [onlyFile(inputs.staticServer, '/static-server')],
      config: { Cmd: ['/static-server'], ExposedPorts: port8080 },
    },
    {
      reference: 'docker.io/sandbox/nonroot:1',
      layers: [base, webLayer],
      config: {
        Cmd: ['sh', '-c', 'trap "exit 0" TERM INT; httpd -f -p 8080 -h /app & wait'],
        Env: [searchPath, 'HOME=/tmp'],
        WorkingDir: '/app',
        User: '10001:10001',
        ExposedPorts: port8080,
      },
    },
  ];
}

function onlyFile(from: string, path: string): LayerRecipe {
  return { entries: [{ kind: 'copy', path, from, mode: 0o755 }] };
}

function baseLayer(inputs: RecipeInputs): LayerRecipe {
  return {
    entries: [
      { kind: 'folder', path: '/bin', mode: 0o755 },
      { kind: 'folder', path: '/etc', mode: 0o755 },
      { kind: 'folder', path: '/root', mode: 0o700 },
      { kind: 'folder', path: '/tmp', mode: 0o1777 },
      { kind: 'folder', path: '/var/tmp', mode: 0o1777 },
      { kind: 'text', path: '/etc/passwd', text: accounts(':x:', ['/root:/bin/sh', '/tmp:/bin/sh']) },
      { kind: 'text', path: '/etc/group', text: 'root:x:0:\napp:x:10001:\n' },
      { kind: 'copy', path: '/bin/busybox', from: inputs.busybox, mode: 0o755 },
      ...inputs.applets
        .filter((applet) => applet !== 'busybox')
        .map((applet): LayerEntry => ({ kind: 'link', path: `/bin/${applet}`, to: 'busybox' })),
      // Scripts of many projects call env by its usual place.
      { kind: 'folder', path: '/usr/bin', mode: 0o755 },
      { kind: 'link', path: '/usr/bin/env', to: '../../bin/busybox' },
    ],
  };
}

function accounts(separator: string, homes: readonly [string, string]): string {
  return `root${separator}0:0:root:${homes[0]}\napp${separator}10001:10001:app:${homes[1]}\n`;
}

const webLayer: LayerRecipe = {
  entries: [
    { kind: 'folder', path: '/app', mode: 0o755 },
    { kind: 'text', path: '/app/index.html', text: '<h1>hello from the sandbox</h1>\n' },
  ],
};

function nodeLayer(inputs: RecipeInputs): LayerRecipe {
  return {
    entries: [
      { kind: 'copy', path: '/usr/local/bin/node', from: inputs.node, mode: 0o755 },
      ...inputs.nodeLibraries.map((path): LayerEntry => ({ kind: 'copy', path, from: path, mode: 0o755 })),
    ],
  };
}

const serverLayer: LayerRecipe = {
  entries: [
    { kind: 'folder', path: '/app', mode: 0o755 },
    {
      kind: 'text',
      path: '/app/package.json',
      text: '{ "name": "sandbox-node", "version": "1.0.0", "private": true }\n',
    },
    {
      kind: 'text',
      path: '/app/server.js',
      text: `const http = require('node:http');

const version = '1';

http
  .createServer((request, response) => response.end(\`version \${version}\\n\`))
  .listen(8080, () => console.log(\`listening on 8080, version \${version}\`));
`,
    },
  ],
};
