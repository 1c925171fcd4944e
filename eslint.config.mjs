import tseslint from 'typescript-eslint';

/**
 * What each folder of main/ may import at run time from its siblings. Types may be imported from any feature:
 * features know each other through interfaces, and main/compose.ts joins the implementations.
 */
const runtimeImports = {
  base: [],
  kube: ['base'],
  helper: ['base', 'kube'],
  sync: ['base', 'helper'],
  channels: ['base', 'kube'],
  session: ['base', 'kube'],
  dev: ['base', 'kube'],
  settings: ['base'],
  tasks: ['base'],
  clusters: ['base', 'kube'],
  workloads: ['base', 'kube'],
  leftovers: ['base', 'kube'],
  ipc: ['base'],
  app: ['base'],
  welcome: ['base', 'kube'],
};

const features = [...Object.keys(runtimeImports), 'hosts'];

/** One block per feature: the folders that it may not import from, types excepted. */
const boundaries = Object.entries(runtimeImports).map(([feature, allowed]) => ({
  files: [`main/${feature}/**/*.ts`],
  ignores: ['**/*.test.ts'],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `/(${features.filter((name) => name !== feature && !allowed.includes(name)).join('|')})/|/compose\\.ts$`,
            allowTypeImports: true,
            message: 'Features know each other through types; main/compose.ts joins them.',
          },
          { group: ['electron'], message: 'Only main/hosts/electron imports electron.' },
          {
            group: ['@kubernetes/client-node'],
            allowTypeImports: true,
            message: 'Only its types: see docs/decisions.',
          },
        ],
      },
    ],
  },
}));

/** A cluster is reached through main/kube/request.ts alone: what opens connections is imported nowhere else. */
const restricted = (name, more) => ({
  name,
  message: 'Connections are opened in main/kube/request.ts.',
  allowTypeImports: true,
  ...more,
});
const bothNames = (name, more) => [restricted(name, more), restricted(`node:${name}`, more)];
const dialers = [
  ...bothNames('net', { importNames: ['connect', 'createConnection', 'Socket'] }),
  ...['undici', 'ws', 'axios', 'node-fetch'].map((name) => restricted(name)),
  ...bothNames('http2'),
];
const networkModules = [
  ...dialers,
  ...['http', 'https', 'tls'].flatMap((name) => bothNames(name)),
  ...['https-proxy-agent', 'socks-proxy-agent'].map((name) => restricted(name)),
];
const networkModulesInKube = [
  ...dialers,
  ...['http', 'https'].flatMap((name) =>
    bothNames(name, { importNames: ['request', 'get', 'ClientRequest'] }),
  ),
  ...bothNames('tls', { importNames: ['connect', 'TLSSocket'] }),
];

const exportByName = { selector: 'ExportDefaultDeclaration', message: 'Export by name.' };

export default tseslint.config(
  {
    ignores: [
      'node_modules/',
      'assets/',
      'main/helper/gen/',
      'tests/vectors/',
      'helper/',
      'dist/',
      'examples/',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/return-await': 'off',
      // Both misread the classes of the Kubernetes models, which are used as types only.
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { ignoreUsingDeclarations: true, argsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/no-deprecated': 'error',
      'no-restricted-syntax': ['error', exportByName],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  ...boundaries,
  {
    files: ['renderer/**/*.{ts,tsx}', 'contract/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.test.tsx'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '/main/|^node:|^electron$', message: 'The window and main share contract/ alone.' },
          ],
        },
      ],
    },
  },
  {
    files: ['preload/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ regex: '/|^node:', message: 'A sandboxed preload script loads electron alone.' }] },
      ],
    },
  },
  {
    // What a cluster, a container or a repository says is text, and a window runs nothing but its own scripts.
    files: ['renderer/**/*.{ts,tsx}', 'preload/**/*.ts', 'contract/**/*.ts'],
    rules: {
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-script-url': 'error',
      'no-restricted-syntax': [
        'error',
        exportByName,
        { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: 'Show text as text.' },
        {
          selector: 'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)$/]',
          message: 'Show text as text.',
        },
        {
          selector: 'CallExpression[callee.object.name="document"][callee.property.name=/^write/]',
          message: 'Show text as text.',
        },
      ],
    },
  },
  {
    files: ['main/hosts/electron/**/*.ts'],
    ignores: ['main/hosts/electron/main.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['electron'],
              allowTypeImports: true,
              message: 'Take the part of electron that you need as a parameter; main.ts has the real one.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['main/hosts/{cli,web}/**/*.ts', 'main/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: [{ group: ['electron'], message: 'Only main/hosts/electron imports electron.' }] },
      ],
    },
  },
  {
    files: ['main/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-globals': ['error', 'fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'],
      'no-restricted-imports': ['error', { paths: networkModules }],
    },
  },
  {
    files: ['main/kube/**/*.ts'],
    ignores: [
      '**/*.test.ts',
      'main/kube/request.ts',
      'main/kube/**/testing/**',
      'main/kube/streams/*-server.ts',
    ],
    rules: { 'no-restricted-imports': ['error', { paths: networkModulesInKube }] },
  },
  {
    files: ['main/kube/request.ts', 'main/kube/**/testing/**', 'main/kube/streams/*-server.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    // Takes connections of browsers, and opens none.
    files: ['main/hosts/web/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...networkModulesInKube.filter(({ name }) => name !== 'ws'),
            restricted('ws', { importNames: ['WebSocket', 'default'] }),
          ],
        },
      ],
    },
  },
  {
    ...tseslint.configs.disableTypeChecked,
    files: ['*.config.{ts,mjs}'],
    rules: { ...tseslint.configs.disableTypeChecked.rules, 'no-restricted-syntax': 'off' },
  },
  { files: ['scripts/**/*.ts', 'sandbox/**/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off' } },
  { files: ['**/*.test.ts', 'tests/**/*.ts'], rules: { '@typescript-eslint/no-non-null-assertion': 'off' } },
);
