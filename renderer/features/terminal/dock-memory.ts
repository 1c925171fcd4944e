import type { ParamsOf } from '../../../contract/api.ts';

type LogTarget = ParamsOf<'logs.follow'>['target'];

/** A log that was opened in this window. */
export interface DockLog {
  readonly id: string;
  readonly title: string;
  readonly target: LogTarget;
}

/** What of the dock is this window's own: the shells in it live in main. */
export interface DockMemory {
  readonly logs: readonly DockLog[];
  /** The tab in each pane; one that is not there any more stands for none. */
  readonly panes: readonly [first: string | undefined, second: string | undefined];
  readonly split: boolean;
}

/** Logs in the dock at once; the oldest one makes room. */
export const maximumLogs = 12;
export const emptyMemory: DockMemory = { logs: [], panes: [undefined, undefined], split: false };

/** Reads what was kept, perhaps by another version: a part that is not as it should be is left out. */
export function parseMemory(text: string | null): DockMemory {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isRecord(value)) return emptyMemory;
    const logs = Array.isArray(value['logs']) ? value['logs'].filter(isLog).slice(-maximumLogs) : [];
    const panes: readonly unknown[] = Array.isArray(value['panes']) ? value['panes'] : [];
    const pane = (index: number): string | undefined => {
      const tab = panes[index];
      return typeof tab === 'string' ? tab : undefined;
    };
    return { logs, panes: [pane(0), pane(1)], split: value['split'] === true };
  } catch {
    return emptyMemory;
  }
}

/** The same log twice is one tab. */
export function withLog(memory: DockMemory, title: string, target: LogTarget): DockMemory {
  const id = JSON.stringify(target);
  const others = memory.logs.filter((log) => log.id !== id);
  const logs = [...others, { id, title, target }].slice(-maximumLogs);
  return { ...memory, logs };
}

export function withoutLog(memory: DockMemory, id: string): DockMemory {
  return { ...memory, logs: memory.logs.filter((log) => log.id !== id) };
}

/** Shows a tab in a pane; a tab that is in the other one changes places with it. */
export function withTab(memory: DockMemory, tab: string, pane: 0 | 1): DockMemory {
  const [first, second] = memory.panes;
  const other = pane === 0 ? second : first;
  const before = pane === 0 ? first : second;
  const kept = other === tab ? before : other;
  return { ...memory, panes: pane === 0 ? [tab, kept] : [kept, tab] };
}

/** The tabs that are seen, by pane: one that was closed gives way to the nearest that is not seen. */
export function shownTabs(memory: DockMemory, tabs: readonly string[]): readonly string[] {
  const there = (tab: string | undefined): string | undefined =>
    tab !== undefined && tabs.includes(tab) ? tab : undefined;
  const [first, second] = memory.panes;
  const left = there(first) ?? tabs.findLast((tab) => tab !== second) ?? tabs[0];
  if (left === undefined) return [];
  if (!memory.split) return [left];
  const wanted = there(second);
  const right = wanted !== undefined && wanted !== left ? wanted : tabs.findLast((tab) => tab !== left);
  return right === undefined ? [left] : [left, right];
}

/** Those that are drawn though they are not seen, so that coming back to one finds it as it was: the latest few. */
export function keptTabs(
  before: readonly string[],
  shown: readonly string[],
  tabs: readonly string[],
  most: number,
): readonly string[] {
  const kept = [...shown, ...before.filter((tab) => !shown.includes(tab) && tabs.includes(tab))].slice(
    0,
    most,
  );
  const same = kept.length === before.length && kept.every((tab, index) => tab === before[index]);
  return same ? before : kept;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Main checks the target again. */
function isLog(value: unknown): value is DockLog {
  if (!isRecord(value) || !isRecord(value['target'])) return false;
  const { kind } = value['target'];
  return (
    typeof value['id'] === 'string' &&
    typeof value['title'] === 'string' &&
    (kind === 'session' || kind === 'workload')
  );
}
