import { describe, expect, it } from 'vitest';
import { emptyMemory, withDetached, withLog } from './dock-memory.ts';
import { hashOfTab, logTab, tabsOf, terminalTab } from './dock-tab-list.ts';

const target = { kind: 'session', session: 's1' } as const;
const odd = { kind: 'workload', cluster: 'c1', namespace: 'shop', workload: 'Pod', name: 'a/b' } as const;
const memory = withLog(withLog(emptyMemory, 'web', target), 'odd', odd);
const log = logTab(JSON.stringify(target));

describe('the tabs of the dock', () => {
  it('are shells and logs, but for those in windows of their own', () => {
    const terminals = [
      { id: 't1', title: 'web-1', state: 'open' as const },
      { id: 't2', title: 'web-2', state: 'ended' as const },
    ];
    const ids = (detached: readonly string[]): readonly string[] =>
      tabsOf(terminals, detached.reduce(withDetached, memory)).map(({ id }) => id);
    expect(ids([])).toEqual(['terminal:t1', 'terminal:t2', log, logTab(JSON.stringify(odd))]);
    expect(ids([terminalTab('t1'), log])).toEqual(['terminal:t2', logTab(JSON.stringify(odd))]);
  });

  it.each([
    [terminalTab('t1'), '#/terminal/t1'],
    [log, '#/log/session/s1'],
    [logTab(JSON.stringify(odd)), undefined],
    [logTab('gone'), undefined],
    [terminalTab('no such id'), undefined],
  ])('%s has the address %s', (tab, hash) => {
    expect(hashOfTab(tab, memory)).toBe(hash);
  });
});
