import { describe, expect, it } from 'vitest';
import { requiredStreamVerbs } from './verbs.ts';

describe('the verbs that opening a stream into a pod needs', () => {
  it.each([
    [1, 24, 'websocket', true, ['get']],
    [1, 30, 'websocket', true, ['get']],
    [1, 33, 'websocket', true, ['get']],
    [1, 34, 'websocket', true, ['get']],
    [1, 34, 'websocket', false, ['get']],
    [1, 35, 'websocket', true, ['get', 'create']],
    [1, 35, 'websocket', undefined, ['get', 'create']],
    [1, 35, 'websocket', false, ['get']],
    [1, 36, 'websocket', true, ['get', 'create']],
    [2, 0, 'websocket', true, ['get', 'create']],
    [1, 24, 'spdy', true, ['create']],
    [1, 34, 'spdy', true, ['create']],
    [1, 35, 'spdy', true, ['create']],
    [1, 35, 'spdy', false, ['create']],
  ] as const)('on %i.%i over %s with the gate %s are %j', (major, minor, transport, createGate, verbs) => {
    expect(requiredStreamVerbs({ version: { major, minor }, transport, createGate })).toEqual(verbs);
  });
});
