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
  /** The pane that was used last: what has no pane of its own to go to goes there. */
  readonly used: 0 | 1;
  /** Tabs that are in windows of their own and hidden here meanwhile. */
  readonly detached: readonly string[];
}

/** Logs in the dock at once; the oldest one makes room. */
export const maximumLogs = 12;
/** Tabs in windows of their own at once. */
const maximumDetached = 32;
export const emptyMemory: DockMemory = {
  logs: [],
  panes: [undefined, undefined],
  split: false,
  used: 0,
  detached: [],
};

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
    const detached = Array.isArray(value['detached']) ? value['detached'].filter(isText) : [];
    return {
      logs,
      panes: [pane(0), pane(1)],
      split: value['split'] === true,
      used: value['used'] === 1 ? 1 : 0,
      detached: detached.slice(-maximumDetached),
    };
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

/** Shows a tab in a pane; a tab that is in the other one changes places with it, and a detached one is back. */
export function withTab(memory: DockMemory, tab: string, pane: 0 | 1): DockMemory {
  const [first, second] = memory.panes;
  const other = pane === 0 ? second : first;
  const before = pane === 0 ? first : second;
  const kept = other === tab ? before : other;
  const detached = memory.detached.filter((one) => one !== tab);
  return { ...memory, detached, panes: pane === 0 ? [tab, kept] : [kept, tab] };
}

/** Hides a tab while a window of its own shows it. Its pane remembers it, for its return. */
export function withDetached(memory: DockMemory, tab: string): DockMemory {
  const others = memory.detached.filter((one) => one !== tab);
  return { ...memory, detached: [...others, tab].slice(-maximumDetached) };
}

/** Shows tabs again whose windows are closed, where they were unless something else is there now. */
export function withReturned(memory: DockMemory, tabs: readonly string[]): DockMemory {
  return { ...memory, detached: memory.detached.filter((one) => !tabs.includes(one)) };
}

/** The tab that was used last, of those that are seen. */
export function usedTab(memory: DockMemory, shown: readonly string[]): string | undefined {
  return shown[memory.used] ?? shown[0];
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
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
