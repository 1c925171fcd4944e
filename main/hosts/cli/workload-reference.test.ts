import { describe, expect, it } from 'vitest';
import { parseWorkloadReference } from './workload-reference.ts';

describe('a workload reference', () => {
  it.each([
    ['deploy/web', 'Deployment', 'web'],
    ['deployment/web', 'Deployment', 'web'],
    ['deployments.apps/web', 'Deployment', 'web'],
    ['Deployment/web', 'Deployment', 'web'],
    ['web', 'Deployment', 'web'],
    ['web.v2', 'Deployment', 'web.v2'],
    ['sts/db', 'StatefulSet', 'db'],
    ['pod/x-1', 'Pod', 'x-1'],
  ])('%s is the %s %s', (text, kind, name) => {
    expect(parseWorkloadReference(text)).toEqual({ kind, name });
  });

  it.each([
    '',
    'deploy/',
    '/web',
    'service/web',
    'deploy/a/b',
    'deploy/Web',
    'deploy/-x',
    '../x',
    'deploy/a b',
  ])('%j is refused with a next step', (text) => {
    expect(() => parseWorkloadReference(text)).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
  });
});
