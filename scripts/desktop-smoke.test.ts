import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron } from 'playwright-core';
import { expect, test } from 'vitest';
import { buildDesktop } from './build-desktop.ts';
import { electronProgram, findElectron } from './electron-binary.ts';
import { decideHost } from './start-decision.ts';
import { runProcess } from '../tests/support/kubectl.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What can be had everywhere is checked everywhere; Electron itself is started where one is given. */
test('the desktop app is complete, and starts where there is an Electron', { timeout: 120_000 }, async () => {
  const facts = findElectron(root, process.env, process.platform);
  expect(facts.wanted).toMatch(/^45\./);
  const decision = decideHost({ ...facts, hasDisplay: true, isRoot: false });
  if (decision.kind !== 'electron') {
    console.log('no Electron binary: the smoke test was not run');
    return;
  }
  await buildDesktop(root);
  expect((await runProcess(process.execPath, ['scripts/build-renderer.ts', '--quiet'])).code).toBe(0);
  const home = mkdtempSync(join(tmpdir(), 'slipway-smoke-'));
  const app = await _electron.launch({
    executablePath: electronProgram(root, decision.from, facts),
    args: [...(facts.isRoot ? ['--no-sandbox'] : []), root],
    env: { ...(process.env as Record<string, string>), SLIPWAY_HOME: home, KUBECONFIG: join(home, 'none') },
  });
  try {
    const page = await app.firstWindow();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(page.url()).toMatch(/^app:\/\/bundle\//);
    expect(
      await page.evaluate('[typeof process, typeof require, Object.keys(window.slipway).join()]'),
    ).toEqual(['undefined', 'undefined', 'send,onFrame,reset']);
  } finally {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  }
});
