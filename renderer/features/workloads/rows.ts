import type { DevState, Workload } from '../../../contract/workloads.ts';
import type { Tone } from '../../ui/badge.tsx';

export type Row = Workload & { readonly key: string };

/** Rows that have every word of the filter somewhere in what is shown of them. */
export function filterRows(rows: readonly Row[], filter: string): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = searchText(row);
    return words.every((word) => text.includes(word));
  });
}

function searchText({ name, namespace, kind, images, owner, dev }: Workload): string {
  const session = dev === undefined ? '' : `${devWords(dev).text} ${dev.holder}`;
  return [name, namespace, kind, ...images, owner ?? '', session].join(' ').toLowerCase();
}

/** How a session on a workload is named in its row. */
export function devWords(dev: DevState): { readonly tone: Tone; readonly text: string } {
  switch (dev.state) {
    case 'mine':
      return { tone: 'ok', text: dev.session === undefined ? 'Yours, elsewhere' : 'Your session' };
    case 'other':
      return { tone: 'info', text: dev.holder };
    case 'dead':
      return { tone: 'warn', text: 'Left over' };
  }
}

/** Whether as much is ready as should be. */
export function readyTone({ ready, desired, kind, dev }: Workload): Tone {
  if (dev !== undefined && dev.state !== 'dead') return 'neutral';
  if (desired === 0) return 'neutral';
  if (ready >= desired) return 'ok';
  return kind === 'Job' ? 'info' : ready === 0 ? 'error' : 'warn';
}

/** An image without the registry's path, as far as that still tells it apart. */
export function shortImage(image: string): string {
  const [name = '', digest] = image.split('@');
  const short = name.slice(name.lastIndexOf('/') + 1);
  return digest === undefined || short.includes(':') ? short : `${short}@${digest.slice(0, 19)}…`;
}

/** What a table says when nothing is in it. */
export function emptyWords(options: {
  readonly total: number;
  readonly filter: string;
  readonly namespaces: readonly string[];
}): { readonly title: string; readonly text: string } {
  const { total, filter, namespaces } = options;
  if (total > 0) {
    return {
      title: 'No workload matches',
      text: `None of the ${total} workloads has “${filter.trim()}” in its name, namespace, kind, image or owner.`,
    };
  }
  const where =
    namespaces.length === 0
      ? 'The cluster'
      : namespaces.length === 1
        ? `Namespace ${namespaces[0] ?? ''}`
        : `None of the ${namespaces.length} namespaces`;
  return namespaces.length > 1
    ? {
        title: 'No workloads here',
        text: `${where} has a workload. Choose other namespaces, or deploy something.`,
      }
    : {
        title: 'No workloads here',
        text: `${where} has none. Choose another namespace, or deploy something.`,
      };
}
