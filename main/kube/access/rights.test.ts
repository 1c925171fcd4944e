import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { describeRight } from './preflight.ts';
import { rightsTable } from './rights-table.ts';
import { requiredRights, type Channel, type TargetKind } from './rights.ts';

function described(
  channel: Channel,
  minor: number,
  targetKind: TargetKind = 'Deployment',
  targetName?: string,
): string[] {
  return requiredRights({ channel, serverVersion: { major: 1, minor }, targetKind, targetName }).map(
    describeRight,
  );
}

describe('the rights of a channel', () => {
  it('ask for streams as subresources, with the verbs of the server', () => {
    expect(described('terminal', 34, 'Pod')).toEqual(['list pods', 'get pods/exec']);
    expect(described('terminal', 35, 'Pod')).toEqual(['list pods', 'get pods/exec', 'create pods/exec']);
    expect(described('forward', 35, 'Pod')).toEqual([
      'list pods',
      'watch pods',
      'get pods/portforward',
      'create pods/portforward',
    ]);
    expect(described('logs', 35, 'Pod')).toEqual(['list pods', 'get pods/log']);
    const exec = requiredRights({
      channel: 'terminal',
      serverVersion: { major: 1, minor: 34 },
      targetKind: 'Pod',
    }).at(-1);
    expect(exec).toMatchObject({ group: '', resource: 'pods', subresource: 'exec' });
  });

  it('ask for the target by its name', () => {
    expect(described('logs', 34, 'StatefulSet', 'db')[0]).toBe('get statefulsets.apps "db"');
    expect(described('replace', 34, 'Deployment', 'web')).toContain('patch deployments.apps/scale "web"');
  });

  it('leave out nothing that replacing needs, and mark what only informs', () => {
    const rights = requiredRights({
      channel: 'replace',
      serverVersion: { major: 1, minor: 34 },
      targetKind: 'Deployment',
    });
    expect(rights.filter((right) => right.optional).map(describeRight)).toEqual([
      'create pods',
      'list replicasets.apps',
      'list events',
      'list services',
      'list horizontalpodautoscalers.autoscaling',
      'list resourcequotas',
    ]);
  });

  it('are those that the manual lists', async () => {
    const manual = await readFile(new URL('../../../docs/rbac.md', import.meta.url), 'utf8');
    const table = manual
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .join('\n');
    expect(
      table
        .replaceAll(/ +\|/g, ' |')
        .replaceAll(/\| -+ (?=\|)/g, '| --- ')
        .replaceAll(/\| +/g, '| '),
    ).toBe(rightsTable().replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| '));
  });
});
