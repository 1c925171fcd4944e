import { describe, expect, it } from 'vitest';
import {
  type DockMemory,
  emptyMemory,
  keptTabs,
  maximumLogs,
  parseMemory,
  shownTabs,
  usedTab,
  withDetached,
  withLog,
  withoutLog,
  withReturned,
  withTab,
} from './dock-memory.ts';

const target = (session: string) => ({ kind: 'session', session }) as const;

describe('the dock', () => {
  it('remembers what it was told', () => {
    const shown = withTab(withLog({ ...emptyMemory, split: true }, 'web', target('a')), 'x', 1);
    const memory: DockMemory = { ...withDetached(shown, 'y'), used: 1 };
    expect(parseMemory(JSON.stringify(memory))).toEqual(memory);
  });

  it.each([
    null,
    '',
    'no',
    '1',
    '{"logs":3,"panes":{}}',
    '{"logs":[{"id":1}],"panes":[1],"detached":[1],"used":2}',
  ])('begins anew with %j', (text) => expect(parseMemory(text)).toEqual(emptyMemory));

  it('has each log once, and the latest ones', () => {
    let memory = withLog(withLog(emptyMemory, 'a', target('a')), 'again', target('a'));
    expect(memory.logs.map(({ title }) => title)).toEqual(['again']);
    for (let index = 0; index < 20; index++) memory = withLog(memory, `${index}`, target(`s${index}`));
    expect(memory.logs).toHaveLength(maximumLogs);
    expect(withoutLog(memory, memory.logs[0]?.id ?? '').logs).toHaveLength(maximumLogs - 1);
  });

  it.each([
    ['nothing', [], false, [], []],
    ['the last one before any is chosen', [], false, ['a', 'b'], ['b']],
    ['the chosen one', ['a'], false, ['a', 'b'], ['a']],
    ['another one when it was closed', ['x'], false, ['a', 'b'], ['b']],
    ['two', ['a', 'b'], true, ['a', 'b', 'c'], ['a', 'b']],
    ['a second one of its own', ['a'], true, ['a', 'b', 'c'], ['a', 'c']],
    ['the only one there is', ['a', 'x'], true, ['a'], ['a']],
    ['never one twice', ['a', 'a'], true, ['a', 'b'], ['a', 'b']],
  ] as const)('shows %s', (_name, panes, split, tabs, shown) => {
    expect(shownTabs({ ...emptyMemory, panes: [panes[0], panes[1]], split }, tabs)).toEqual(shown);
  });

  it('changes the places of two tabs', () => {
    const memory: DockMemory = { ...emptyMemory, panes: ['a', 'b'], split: true };
    expect(withTab(memory, 'b', 0).panes).toEqual(['b', 'a']);
    expect(withTab(memory, 'c', 1).panes).toEqual(['a', 'c']);
  });

  it('hides what is in a window of its own, and has it where it was when that is closed', () => {
    const memory = withDetached({ ...emptyMemory, panes: ['a', 'b'], split: true }, 'b');
    expect(shownTabs(memory, ['a', 'c'])).toEqual(['a', 'c']);
    const returned = withReturned(memory, ['b', 'x']);
    expect(returned.detached).toEqual([]);
    expect(shownTabs(returned, ['a', 'b', 'c'])).toEqual(['a', 'b']);
    expect(withTab(memory, 'b', 0).detached).toEqual([]);
  });

  it('has not more detached than fit', () => {
    let memory = emptyMemory;
    for (let index = 0; index < 40; index++) memory = withDetached(memory, `${index}`);
    expect(memory.detached).toHaveLength(32);
    expect(memory.detached.at(-1)).toBe('39');
  });

  it.each([
    [0, ['a', 'b'], 'a'],
    [1, ['a', 'b'], 'b'],
    [1, ['a'], 'a'],
    [0, [], undefined],
  ] as const)('knows the tab of the pane that was used last: %j of %j', (used, shown, tab) => {
    expect(usedTab({ ...emptyMemory, used }, shown)).toBe(tab);
  });

  it('keeps the latest few as they are', () => {
    expect(keptTabs(['a', 'b'], ['c'], ['a', 'b', 'c'], 2)).toEqual(['c', 'a']);
    expect(keptTabs(['a', 'b'], ['a'], ['a'], 2)).toEqual(['a']);
    const before = ['a', 'b'];
    expect(keptTabs(before, ['a'], ['a', 'b'], 2)).toBe(before);
  });
});
