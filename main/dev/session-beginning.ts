import type { SessionDetail } from '../../contract/sessions.ts';
import type { Leftover } from '../session/session.ts';
import type { PlannedStart } from './live-sessions-parts.ts';

/** A session as it is before anything was done. Values of variables are left out: they may be secrets, and no page needs them. */
export function initialDetail(
  id: string,
  { form, session, commandLine }: PlannedStart,
  now: number,
): SessionDetail {
  const sentence = 'Starting: looking at both sides';
  return {
    summary: {
      id,
      cluster: form.cluster,
      namespace: form.namespace,
      target: form.name,
      kind: form.kind,
      folder: form.folder,
      stage: 'starting',
      health: 'busy',
      sentence,
      startedAt: new Date(now).toISOString(),
      held: 0,
      conflicts: 0,
      ports: 0,
    },
    form: { ...form, env: form.env.map(({ name }) => ({ name, value: '…' })) },
    phase: 'plan',
    reached: 'plan',
    progress: '',
    container: session.container,
    devName: session.devObject.metadata?.name ?? '',
    pairs: [],
    services: {},
    ports: {},
    held: {},
    conflicts: {},
    up: { files: 0, bytes: 0 },
    down: { files: 0, bytes: 0 },
    changes: {},
    timeline: {},
    commandLine,
  };
}

/** What to do about an earlier session of one's own that nobody runs any more. */
export function ownDeadQuestion({ namespace, target, since, machine, wouldRestore }: Leftover) {
  return {
    title: `Continue your earlier session on ${target}?`,
    text: [
      `A session of yours on ${namespace}/${target}, started on ${machine} at {{${since}}}, was not ended.`,
      'Continue takes it over as it is. Restore puts the workload back first and starts anew.',
      ...wouldRestore,
    ],
    choices: [
      { id: 'continue', label: 'Continue It', danger: false },
      { id: 'restore', label: 'Restore, Then Start', danger: false },
      { id: 'cancel', label: 'Do Not Start', danger: false },
    ],
  };
}
