import { runProcess } from '../../support/kubectl.ts';

/** Builds the window once before all tests of it. */
export async function setup(): Promise<void> {
  const { code, stderr } = await runProcess(process.execPath, ['scripts/build-renderer.ts', '--quiet']);
  if (code !== 0) throw new Error(stderr);
}
