// Generates the code of the contract between app and helper: TypeScript for main, Go for the helper.
// `--check` generates into a temporary folder and fails when the committed code differs.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const protobufGo = 'v1.36.11';

/** Where generated code is committed, by the file's path below the generator's output folder. */
const outputs = [
  { generated: 'ts/slipway/helper/v1/helper.ts', committed: 'main/helper/gen/slipway/helper/v1/helper.ts' },
  { generated: 'go/slipway/helper/v1/helper.pb.go', committed: 'helper/internal/gen/helperv1/helper.pb.go' },
] as const;

async function main(): Promise<void> {
  const check = process.argv.includes('--check');
  const folder = await mkdtemp(join(tmpdir(), 'slipway-proto-'));
  try {
    await generate(folder);
    const stale: string[] = [];
    for (const { generated, committed } of outputs) {
      const source = join(folder, generated);
      const target = join(repository, committed);
      if (!check) {
        await mkdir(dirname(target), { recursive: true });
        await cp(source, target);
      } else if (
        !existsSync(target) ||
        (await readFile(source, 'utf8')) !== (await readFile(target, 'utf8'))
      ) {
        stale.push(committed);
      }
    }
    if (stale.length > 0) {
      console.error(`The generated code is not that of proto/: ${stale.join(', ')}. Run \`npm run proto\`.`);
      process.exitCode = 1;
    } else {
      console.log(check ? 'The generated code is that of proto/.' : 'Generated code for main and helper.');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function generate(folder: string): Promise<void> {
  const modules = join(repository, 'node_modules');
  const template = {
    version: 'v2',
    plugins: [
      {
        local: [process.execPath, join(modules, 'ts-proto/protoc-gen-ts_proto')],
        out: join(folder, 'ts'),
        opt: [
          'env=node',
          'esModuleInterop=true',
          'enumsAsLiterals=true',
          'forceLong=bigint',
          'importSuffix=.ts',
          'oneof=unions-value',
          'outputJsonMethods=false',
          'outputServices=grpc-js',
          'outputClientImpl=false',
          'useExactTypes=false',
        ],
      },
      { local: await goPlugin(), out: join(folder, 'go'), opt: 'paths=source_relative' },
    ],
  };
  const file = join(folder, 'buf.gen.json');
  await writeFile(file, JSON.stringify(template));
  const buf = join(modules, `@bufbuild/buf-${process.platform}-${bufArchitecture()}/bin/buf`);
  await run(buf, ['lint', join(repository, 'proto')]);
  await run(buf, ['generate', join(repository, 'proto'), '--template', file]);
}

function bufArchitecture(): string {
  return process.platform === 'linux' && process.arch === 'arm64' ? 'aarch64' : process.arch;
}

async function goPlugin(): Promise<string> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'slipway', 'go', `protoc-gen-go-${protobufGo}`);
  const binary = join(folder, 'protoc-gen-go');
  if (!existsSync(binary)) {
    const module = `google.golang.org/protobuf/cmd/protoc-gen-go@${protobufGo}`;
    await run('go', ['install', module], { env: { ...process.env, GOBIN: folder } });
  }
  return binary;
}

await main();
