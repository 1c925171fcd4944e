import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextNames } from './kubeconfig.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { loadKubeconfig } from './kubeconfig-load.ts';
import { refuseProblems, viewKubeconfig } from './kubeconfig-view.ts';
import { startApiServer } from './testing/api-server.ts';
import type { ApiServer } from './testing/api-server.ts';
import { createAuthority } from './testing/certificates.ts';
import type { Authority } from './testing/certificates.ts';
import { connectFiles } from './testing/connect.ts';

interface Expectation {
  readonly exit: number;
  readonly config?: unknown;
}

interface Case {
  readonly title: string;
  readonly kubeconfig: readonly string[];
  readonly expected: {
    readonly view?: Expectation;
    readonly contexts?: { readonly exit: number; readonly names: readonly string[] | null };
    readonly currentContext?: { readonly exit: number; readonly value: string | null };
    readonly minify?: Expectation & { readonly context: string | null };
    readonly flatten?: Expectation;
    readonly request?: {
      readonly path: string;
      readonly env: Readonly<Record<string, string>>;
      readonly exit: number;
      readonly sent: readonly { readonly method: string; readonly path: string; readonly headers: unknown }[];
    };
  };
}

const vectors = join(import.meta.dirname, '../../tests/vectors/kubeconfig');

/** What kubectl would print, and the exit status it would end with. */
async function outcome(work: () => Promise<unknown>): Promise<Expectation> {
  try {
    return { exit: 0, config: await work() };
  } catch {
    return { exit: 1 };
  }
}

describe('kubeconfig, against what kubectl answered', () => {
  let authority: Authority;
  let server: ApiServer;
  let folder: string;

  beforeAll(async () => {
    authority = createAuthority();
    server = await startApiServer({ authority });
    folder = mkdtempSync(join(tmpdir(), 'slipway-kubeconfig-'));
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    authority[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  function prepare(name: string): string {
    const target = join(folder, name);
    cpSync(join(vectors, name), target, { recursive: true });
    const placeholders: readonly (readonly [string, string])[] = [
      ['<SERVER>', server.address],
      ['<HOSTPORT>', `127.0.0.1:${server.port}`],
      ['<CA_B64>', Buffer.from(authority.cert).toString('base64')],
      ['<CA_PEM>', authority.cert],
      ['<DIR>', target],
    ];
    for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      writeFileSync(
        path,
        placeholders.reduce((text, [from, to]) => text.replaceAll(from, to), readFileSync(path, 'utf8')),
      );
      if (path.endsWith('.sh')) chmodSync(path, 0o755);
    }
    return target;
  }

  const names = readdirSync(vectors);

  it('has all cases', () => expect(names).toHaveLength(56));

  it.each(names)('%s', async (name) => {
    const target = prepare(name);
    const { kubeconfig, expected } = JSON.parse(readFileSync(join(target, 'case.json'), 'utf8')) as Case;
    const listed = kubeconfig.map((path) => (path === '' ? '' : join(target, path))).join(delimiter);
    const environment = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: listed };
    const config = await loadKubeconfig({ environment });
    const strict = (): Kubeconfig => {
      refuseProblems(config);
      return config;
    };
    if (expected.view !== undefined) {
      expect(await outcome(() => viewKubeconfig(config, { raw: true, readFile }))).toEqual(
        withoutStderr(expected.view),
      );
    }
    if (expected.contexts !== undefined) {
      const answer = await outcome(async () => contextNames(strict()));
      expect({ exit: answer.exit, names: answer.config ?? null }).toEqual(withoutStderr(expected.contexts));
    }
    if (expected.currentContext !== undefined) {
      const answer = await outcome(
        async () => strict().currentContext || Promise.reject(new Error('not set')),
      );
      expect({ exit: answer.exit, value: answer.config ?? null }).toEqual(
        withoutStderr(expected.currentContext),
      );
    }
    if (expected.minify !== undefined) {
      const { context, ...rest } = expected.minify;
      const options = { raw: true, minify: true, context: context ?? undefined, readFile };
      expect(await outcome(() => viewKubeconfig(config, options))).toEqual(withoutStderr(rest));
    }
    if (expected.flatten !== undefined) {
      const answer = await outcome(() => viewKubeconfig(config, { raw: true, flatten: true, readFile }));
      expect(answer).toEqual(withoutStderr(expected.flatten));
    }
    if (expected.request !== undefined) {
      const { path, env, exit, sent } = expected.request;
      const before = server.requests.length;
      const answer = await outcome(async () => {
        await using transport = await connectFiles({ ...environment, ...env });
        return await transport.text({ path });
      });
      expect(answer.exit).toBe(exit);
      const arrived = server.requests.slice(before).map(({ method, path: sentTo, headers }) => ({
        method,
        path: sentTo,
        headers: Object.fromEntries(
          Object.entries(headers as Record<string, string[]>)
            .filter(([header]) => /^(authorization$|impersonate-)/.test(header))
            .map(([header, values]) => [header, values.length === 1 ? values[0] : values]),
        ),
      }));
      expect(arrived).toEqual(sent);
    }
  });
});

function withoutStderr<T extends object>(expectation: T): Partial<T> {
  return Object.fromEntries(Object.entries(expectation).filter(([key]) => key !== 'stderr')) as Partial<T>;
}
