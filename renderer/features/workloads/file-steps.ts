import type { FileCount, FlightPlan } from '../../../contract/workloads.ts';

type Compared = Extract<FlightPlan['files']['container'], { kind: 'compared' }>;

export interface FileStep {
  readonly id: string;
  readonly direction: 'up' | 'down' | 'ask' | 'lose';
  readonly text: string;
  readonly count: FileCount;
}

/** The steps of a first sync that have any files, in the order of a reader's worry after the plain ones. */
export function fileSteps(compared: Compared): readonly FileStep[] {
  const steps: readonly FileStep[] = [
    { id: 'upload', direction: 'up', text: 'new in the container', count: compared.upload },
    {
      id: 'overwriteInContainer',
      direction: 'up',
      text: 'replaced in the container',
      count: compared.overwriteInContainer,
    },
    {
      id: 'deleteInContainer',
      direction: 'lose',
      text: 'deleted in the container',
      count: compared.deleteInContainer,
    },
    { id: 'download', direction: 'down', text: 'new on this machine', count: compared.download },
    {
      id: 'overwriteHere',
      direction: 'ask',
      text: 'replaced on this machine, after you agreed',
      count: compared.overwriteHere,
    },
    {
      id: 'deleteHere',
      direction: 'ask',
      text: 'deleted on this machine, after you agreed',
      count: compared.deleteHere,
    },
    { id: 'undecided', direction: 'ask', text: 'differ; decided during the sync', count: compared.undecided },
  ];
  return steps.filter(({ count }) => count.files > 0);
}
