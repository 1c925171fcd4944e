import type { Kube, PodTarget } from '../kube/kube.ts';
import { runCommand } from './run-command.ts';

const removeTimeoutMs = 20_000;

export interface RemovedHelper {
  /** False when it was not there any more. */
  readonly removed: boolean;
  /** What went with it: old versions of files that were replaced or deleted in the container. */
  readonly trashFiles: number;
  readonly trashBytes: number;
}

/**
 * Ends what the helper left in a container: its folder with the binary, epochs and trash. Running helper processes
 * apply nothing more from then on. Rejects only with what the cluster said.
 */
export async function removeHelper(options: {
  readonly kube: Pick<Kube, 'exec'>;
  readonly target: PodTarget;
  readonly helper: { readonly folder: string; readonly path: string };
  readonly signal?: AbortSignal | undefined;
}): Promise<RemovedHelper> {
  const command = [options.helper.path, 'remove'];
  const { output } = await runCommand({ ...options, command, limit: 4096, timeoutMs: removeTimeoutMs });
  const answer = /^removed trash-files=(\d{1,10}) trash-bytes=(\d{1,15})$/m.exec(output.toString('utf8'));
  return {
    removed: answer !== null,
    trashFiles: Number(answer?.[1] ?? 0),
    trashBytes: Number(answer?.[2] ?? 0),
  };
}
