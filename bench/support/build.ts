import { runProcess } from '../../tests/support/kubectl.ts';

/** Builds the window if something of it has changed. */
export async function buildRenderer(): Promise<void> {
  const { code, stderr } = await runProcess(process.execPath, ['scripts/build-renderer.ts', '--quiet']);
  if (code !== 0) throw new Error(stderr);
}
