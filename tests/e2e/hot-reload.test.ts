import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { apply, kubectl, makeNamespace } from '../support/kubectl.ts';
import { RunningSlipway } from '../support/slipway.ts';
import { webDeployment } from '../support/workloads.ts';

const saves = 20;

function server(version: string): string {
  return `require('node:http').createServer((_, response) => response.end('${version}')).listen(8080);\n`;
}

describe('an app under node --watch', () => {
  let scratch = '';
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'slipway-reload-'));
    namespace = await makeNamespace('e2e-reload');
    await apply(webDeployment(namespace.name, { image: 'sandbox/node:1', replicas: 1 }));
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
  });
  afterAll(async () => {
    await namespace[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });

  it(`takes ${saves} of ${saves} saves, written in place and by renaming in turn`, async () => {
    const folder = mkdtempSync(join(scratch, 'src-'));
    const path = join(folder, 'server.js');
    writeFileSync(path, server('first'));
    const port = await freePort();
    await using session = new RunningSlipway({ home: join(scratch, 'home') }, [
      'dev',
      '-n',
      namespace.name,
      'deploy/web',
      '--path',
      `${folder}:/app`,
      '--port',
      `${port}:8080`,
    ]);
    await session.ready();
    const answer = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2000) })).text();
    await eventually(async () => expect(await answer()).toBe('first'), 20_000);
    for (let save = 1; save <= saves; save++) {
      if (save % 2 === 0) writeFileSync(path, server(`save-${save}`));
      else {
        writeFileSync(join(folder, '.server.js.swp'), server(`save-${save}`));
        renameSync(join(folder, '.server.js.swp'), path);
      }
      await eventually(async () => expect(await answer()).toBe(`save-${save}`), 10_000, 20);
    }
    expect(await session.stop()).toBe(0);
  });
});
