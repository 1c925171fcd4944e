import type { Terminal } from '../../../contract/terminals.ts';
import { isDetached, parseRoute, routeHash } from '../../app/route-hash.ts';
import type { DockMemory } from './dock-memory.ts';

/** One tab of the dock. */
export interface DockTab {
  readonly id: string;
  readonly kind: 'terminal' | 'log';
  readonly title: string;
  readonly state?: Terminal['state'] | undefined;
}

/** The tabs that this window has in its dock: shells are everybody's, logs its own; detached ones are elsewhere. */
export function tabsOf(
  terminals: readonly Pick<Terminal, 'id' | 'title' | 'state'>[],
  { logs, detached }: DockMemory,
): readonly DockTab[] {
  const all: readonly DockTab[] = [
    ...terminals.map(({ id, title, state }) => ({
      id: terminalTab(id),
      kind: 'terminal' as const,
      title,
      state,
    })),
    ...logs.map(({ id, title }) => ({ id: logTab(id), kind: 'log' as const, title })),
  ];
  return all.filter(({ id }) => !detached.includes(id));
}

export function terminalTab(terminal: string): string {
  return `terminal:${terminal}`;
}

export function logTab(log: string): string {
  return `log:${log}`;
}

export function splitTab(tab: string): readonly [kind: string, id: string] {
  const at = tab.indexOf(':');
  return [tab.slice(0, at), tab.slice(at + 1)];
}

/** The address of a window with this tab alone; undefined when it has none, or would lead somewhere else. */
export function hashOfTab(tab: string, { logs }: Pick<DockMemory, 'logs'>): string | undefined {
  const [kind, id] = splitTab(tab);
  const target = logs.find((log) => log.id === id)?.target;
  if (kind === 'log' && target === undefined) return undefined;
  const hash = routeHash(target === undefined ? { page: 'terminal', terminal: id } : { page: 'log', target });
  return isDetached(parseRoute(hash)) ? hash : undefined;
}
