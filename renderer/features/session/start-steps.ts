import type { SessionDetail } from '../../../contract/sessions.ts';

export interface StartStep {
  readonly id: string;
  readonly label: string;
  readonly state: 'done' | 'now' | 'ahead' | 'failed';
}

const order = ['plan', 'start', 'wait', 'sync', 'ready'] as const;

/** The steps of a start as a list: what is done, what is under way and what it broke off at. */
export function startSteps(
  detail: Pick<SessionDetail, 'reached' | 'devName' | 'pairs'> & {
    readonly summary: Pick<SessionDetail['summary'], 'stage' | 'target'>;
  },
): readonly StartStep[] {
  const { devName, summary } = detail;
  const labels: Readonly<Record<(typeof order)[number], string>> = {
    plan: 'Open the folder and the ports of this machine',
    start: `Replace ${summary.target} by ${devName}`,
    wait: `Wait until ${devName} runs`,
    sync: 'Make both sides alike',
    ready: 'Ready',
  };
  const reached = detail.reached === 'connect' ? 'wait' : detail.reached;
  const at = Math.max(
    0,
    order.findIndex((id) => id === reached),
  );
  const broken = summary.stage !== 'starting' && summary.stage !== 'running';
  return order.slice(0, -1).map((id, index) => ({
    id,
    label: labels[id],
    state: index < at ? 'done' : index > at ? 'ahead' : broken ? 'failed' : 'now',
  }));
}
