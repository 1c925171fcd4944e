import type { ErrorValue } from '../../contract/errors.ts';
import type { FlightPlan, StartForm } from '../../contract/workloads.ts';
import { assertNever } from '../base/errors.ts';
import type { AdmissionVerdict } from '../session/admission.ts';
import type { SessionPlan } from '../session/plan.ts';
import type { QuotaVerdict } from '../session/quota.ts';

/** What the button says. */
export function actionOf({ target, devObject }: SessionPlan): string {
  const devName = devObject.metadata?.name ?? '';
  return target.replicas === 0
    ? `Start ${devName} for ${target.name}`
    : `Replace ${target.name} (${target.replicas} → 0) and start ${devName}`;
}

export function admissionWords(verdict: AdmissionVerdict): FlightPlan['admission'] {
  switch (verdict.kind) {
    case 'admitted':
      return { kind: 'admitted', text: 'The cluster would admit the dev pod: a dry run of it passed.' };
    case 'refused':
    case 'unknown':
      return { kind: verdict.kind, text: verdict.reason };
    default:
      return assertNever(verdict);
  }
}

export function quotaWords(verdict: QuotaVerdict): FlightPlan['quota'] {
  switch (verdict.kind) {
    case 'fits':
      return {
        kind: 'fits',
        text: verdict.tight
          ? 'The dev pod fits as soon as the workload’s own pods are gone; it waits for that.'
          : 'No quota of the namespace stands against the dev pod.',
      };
    case 'exceeded':
      return { kind: 'exceeded', text: `${verdict.problems.join('; ')}.` };
    case 'unknown':
      return { kind: 'unknown', text: verdict.reason };
    default:
      return assertNever(verdict);
  }
}

export function relaxedWords({ droppedProbes }: SessionPlan): readonly string[] {
  return droppedProbes.map(
    (probe) =>
      `${probe} is left out: it would restart the container at a breakpoint or before your process runs.`,
  );
}

/** Without what is told of relaxed probes, which has a place of its own. */
export function warningsOf(plan: SessionPlan): readonly string[] {
  const warnings = plan.warnings.filter((text) => !text.startsWith('The dev container runs without '));
  if (!plan.exclusive.value || plan.target.replicas === 0) return warnings;
  return [
    ...warnings,
    `The dev pod starts only after the workload’s pods are gone, because ${plan.exclusive.reasons.join(' and ')}.`,
  ];
}

/** What in the form itself cannot be, before anything is read. */
export function formObstacles(
  form: Pick<StartForm, 'folder' | 'containerPath' | 'ports'>,
): readonly ErrorValue[] {
  const found: ErrorValue[] = [];
  const local = /^[A-Za-z]:[\\/]/.test(form.folder) ? form.folder.slice(2) : form.folder;
  if (local.includes(':')) {
    found.push(
      invalid(
        `The folder ${form.folder} has a colon in its name.`,
        'A colon separates the two sides of a pair.',
        'Choose a folder without one, or a link to it that has none.',
      ),
    );
  }
  if (/[:\0]/.test(form.containerPath) || form.containerPath.split('/').includes('..')) {
    found.push(
      invalid(
        `${form.containerPath} cannot be the folder in the container.`,
        'It has a colon in it or climbs with "..".',
        'Write it from the root, like /app.',
      ),
    );
  }
  const locals = form.ports.map(({ local: port }) => port);
  const twice = locals.find((port, index) => locals.indexOf(port) !== index);
  if (twice !== undefined) {
    found.push(
      invalid(
        `Port ${twice} of this machine is named twice.`,
        'It can lead to one port of the container only.',
        'Choose another local port for one of them.',
      ),
    );
  }
  return found;
}

function invalid(message: string, cause: string, next: string): ErrorValue {
  return { code: 'usage.invalid', message, cause, next };
}

/** Somebody else's live session: starting would be refused. */
export function heldObstacle(plan: SessionPlan): readonly ErrorValue[] {
  const { heldBy, request, target } = plan;
  if (heldBy?.live !== true) return [];
  return [
    {
      code: 'session.live',
      message: `A session of ${heldBy.holder} runs on ${request.namespace}/${target.name}.`,
      cause: `It was started at {{${heldBy.since}}} and is alive.`,
      next: 'Agree with its holder, or choose another workload.',
    },
  ];
}
