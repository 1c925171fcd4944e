import { describe, expect, it } from 'vitest';
import type { PodSummary } from '../../../contract/workloads.ts';
import type { Route } from '../../app/route-hash.ts';
import { offersOf } from './dock-offers.ts';

const pod = (name: string, phase: string, ...containers: readonly string[]): PodSummary => ({
  name,
  phase,
  containers,
  ready: true,
  restarts: 0,
  createdAt: '',
});
const workload: Route = { page: 'workload', cluster: 'c', namespace: 'n', kind: 'Deployment', name: 'web' };
const labels = (route: Route, context: Parameters<typeof offersOf>[1]): readonly string[] =>
  offersOf(route, context).map(({ label }) => label);

describe('what a page has for the dock', () => {
  it.each<[string, Route, Parameters<typeof offersOf>[1], readonly string[]]>([
    ['nothing elsewhere', { page: 'welcome' }, {}, []],
    ['a session', { page: 'session', session: 's' }, { session: 'web' }, ['Terminal in web', 'Log of web']],
    ['a workload without pods', workload, {}, ['Log of web']],
    [
      'a workload with pods that run',
      workload,
      { pods: [pod('web-1', 'Running', 'web'), pod('web-2', 'Pending', 'web')] },
      ['Terminal in web-1', 'Log of web'],
    ],
    [
      'a pod with several containers',
      workload,
      { pods: [pod('web-1', 'Running', 'web', 'proxy')] },
      ['Terminal in web-1 · web', 'Terminal in web-1 · proxy', 'Log of web · web', 'Log of web · proxy'],
    ],
  ])('%s', (_name, route, context, expected) => expect(labels(route, context)).toEqual(expected));
});
