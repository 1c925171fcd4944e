import type { Guard } from '../../../contract/settings.ts';
import type { Detection, WorkloadDetail } from '../../../contract/workloads.ts';

/** What it depends on whether a container can be looked into: when it is another one, looking again may help. */
export function lookMark(pods: WorkloadDetail['pods'], guard: Guard | undefined): string {
  const ready = Object.entries(pods.items).flatMap(([key, pod]) => (pod.ready ? [key] : []));
  return JSON.stringify([guard ?? 'none', ...ready.sort()]);
}

/** Whether a look that saw no container is worth another one; what was seen is not looked at again. */
export function shouldLookAgain(
  last: { readonly detection: Detection | undefined; readonly mark: string | undefined },
  mark: string,
): boolean {
  return last.detection?.blind !== undefined && last.mark !== mark;
}
