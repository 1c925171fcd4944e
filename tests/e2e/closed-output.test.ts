import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { apply, kubectl, makeNamespace, testKubeconfig } from '../support/kubectl.ts';
import { RunningSlipway } from '../support/slipway.ts';
import { webDeployment } from '../support/workloads.ts';

const entry = new URL('../../main/hosts/cli/main.ts', import.meta.url).pathname;

describe('a dev session whose output nobody reads any more', () => {
  let home = '';
  let folder = '';
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'slipway-home-'));
    folder = mkdtempSync(join(tmpdir(), 'slipway-folder-'));
    namespace = await makeNamespace('e2e-closed');
    await apply(webDeployment(namespace.name, { replicas: 1 }));
    await kubectl('-n', namespace.name, 'rollout', 'status', 'deployment/web', '--timeout=90s');
  });
  afterEach(async () => {
    await namespace[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  const dev = (): string[] => ['dev', '-n', namespace.name, 'deploy/web', '--path', `${folder}:/app`];
  const isPutBack = (): Promise<void> =>
    eventually(async () => {
      const left = await kubectl('-n', namespace.name, 'get', 'deployments,leases', '-o', 'name');
      expect(left.trim()).toBe('deployment.apps/web');
      const replicas = ['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}'];
      expect(await kubectl('-n', namespace.name, ...replicas)).toBe('1');
    }, 60_000);

  it('puts the workload back when the pipe is closed', { timeout: 180_000 }, async () => {
    await using session = new RunningSlipway({ home }, dev());
    await session.ready();
    session.child.stdout?.destroy();
    writeFileSync(join(folder, 'edit'), 'told to nobody');
    expect(await session.exited).toBe(0);
    await isPutBack();
  });

  it('puts the workload back when the terminal is closed', { timeout: 180_000 }, async () => {
    const quoted = [process.execPath, entry, ...dev()].map((word) => `'${word}'`).join(' ');
    const terminal = spawn('script', ['-qfc', quoted, '/dev/null'], {
      env: { ...process.env, SLIPWAY_HOME: home, KUBECONFIG: testKubeconfig() },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
    try {
      await eventually(() => expect(shown).toContain('Ready:'), 90_000);
    } finally {
      // Its end of the terminal goes with it: the kernel hangs up on the session.
      terminal.kill('SIGKILL');
    }
    await isPutBack();
  });
});
