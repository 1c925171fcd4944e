import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { AccessAnswer, AccessAttributes } from '../kube.ts';
import { missingRole } from './missing-role.ts';
import { concurrentReviews, describeRight, missingRights, preflight } from './preflight.ts';
import { interpretReview } from './review.ts';
import type { Channel } from './rights.ts';

const serverVersion = { major: 1, minor: 34 };
const denied: AccessAnswer = { kind: 'denied', reason: 'no' };

function cluster(allows: (question: string) => AccessAnswer) {
  const asked: string[] = [];
  let running = 0;
  let most = 0;
  return {
    asked,
    most: () => most,
    async review(attributes: AccessAttributes): Promise<AccessAnswer> {
      const question = describeRight({
        ...attributes,
        subresource: attributes.subresource,
        name: attributes.name,
        optional: false,
      });
      asked.push(question);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      return allows(question);
    },
  };
}

describe('preflight', () => {
  it('names exactly the missing rights of a user who may only get and list pods', async () => {
    const kube = cluster((question) =>
      ['get pods', 'list pods'].includes(question) ? { kind: 'allowed' } : denied,
    );
    const matrix = await preflight(kube, {
      namespace: 'shop',
      targetKind: 'Pod',
      serverVersion,
      channels: ['terminal', 'logs'],
    });
    expect(matrix.map(({ channel, verdict }) => [channel, verdict])).toEqual([
      ['terminal', 'missing'],
      ['logs', 'missing'],
    ]);
    expect(missingRights(matrix).map(describeRight)).toEqual(['get pods/exec', 'get pods/log']);
  });

  it('judges each channel for itself', async () => {
    const kube = cluster((question) => (question.endsWith('pods/exec') ? denied : { kind: 'allowed' }));
    const matrix = await preflight(kube, { namespace: 'shop', targetKind: 'Deployment', serverVersion });
    expect(Object.fromEntries(matrix.map(({ channel, verdict }) => [channel, verdict]))).toEqual({
      terminal: 'missing',
      forward: 'allowed',
      logs: 'allowed',
      sync: 'missing',
      replace: 'allowed',
      leftovers: 'allowed',
    });
  });

  it('asks each question once and at most eight at a time', async () => {
    const kube = cluster(() => ({ kind: 'allowed' }));
    await preflight(kube, { namespace: 'shop', targetKind: 'Deployment', targetName: 'web', serverVersion });
    expect(new Set(kube.asked).size).toBe(kube.asked.length);
    expect(kube.most()).toBe(concurrentReviews);
  });

  it('is not stopped by an optional right, and says when it does not know', async () => {
    const kube = cluster((question) =>
      question === 'list events'
        ? denied
        : question === 'watch deployments.apps'
          ? { kind: 'unknown', reason: 'timeout' }
          : { kind: 'allowed' },
    );
    const matrix = await preflight(kube, {
      namespace: 'shop',
      targetKind: 'Deployment',
      serverVersion,
      channels: ['replace'],
    });
    expect(matrix[0]?.verdict).toBe('unknown');
    expect(missingRights(matrix)).toEqual([]);
    expect(missingRole(matrix, 'shop')).toBeUndefined();
  });
});

describe('the role to copy', () => {
  const identity = { username: 'system:serviceaccount:team:dev', groups: [] };

  it('grants both verbs for streams and binds them to the user', async () => {
    const kube = cluster(() => denied);
    const matrix = await preflight(kube, {
      namespace: 'shop',
      targetKind: 'Deployment',
      targetName: 'web',
      serverVersion,
      channels: ['terminal', 'forward'],
    });
    const [role, binding] = parseAllDocuments(missingRole(matrix, 'shop', { identity }) ?? '').map(
      (part) => part.toJS() as unknown,
    );
    expect(role).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: {
        name: expect.stringMatching(/^slipway-developer-[0-9a-f]{8}$/) as string,
        namespace: 'shop',
      },
      rules: [
        { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
        { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] },
        { apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] },
      ],
    });
    expect(binding).toMatchObject({
      kind: 'RoleBinding',
      subjects: [{ kind: 'ServiceAccount', name: 'dev', namespace: 'team' }],
      roleRef: { kind: 'Role', name: expect.stringMatching(/^slipway-developer-[0-9a-f]{8}$/) as string },
    });
  });

  it('never replaces that of another user, or of other rights', async () => {
    const nameOf = async (username: string, channels: readonly Channel[]): Promise<unknown> => {
      const kube = cluster(() => denied);
      const matrix = await preflight(kube, { namespace: 'shop', targetKind: 'Pod', serverVersion, channels });
      const role = missingRole(matrix, 'shop', { identity: { username, groups: [] } }) ?? '';
      return parseAllDocuments(role)[0]?.getIn(['metadata', 'name']);
    };
    const first = await nameOf('eve', ['logs']);
    expect(await nameOf('eve', ['logs'])).toBe(first);
    expect(await nameOf('adam', ['logs'])).not.toBe(first);
    expect(await nameOf('eve', ['terminal'])).not.toBe(first);
  });

  it('survives a user name that looks like YAML', async () => {
    const matrix = await preflight(
      cluster(() => denied),
      { namespace: 'shop', targetKind: 'Pod', serverVersion, channels: ['logs'] },
    );
    const username = 'a: b\n- "c" # d';
    const [, binding] = parseAllDocuments(
      missingRole(matrix, 'shop', { identity: { username, groups: [] } }) ?? '',
    );
    expect(binding?.toJS()).toMatchObject({ subjects: [{ kind: 'User', name: username }] });
  });
});

describe('the answer of an access review', () => {
  it.each([
    [{ allowed: true }, { kind: 'allowed' }],
    [{ allowed: false }, { kind: 'denied', reason: 'No rule of the cluster allows it.' }],
    [
      { allowed: false, reason: 'not today' },
      { kind: 'denied', reason: 'not today' },
    ],
    [
      { allowed: false, evaluationError: 'webhook down' },
      { kind: 'unknown', reason: 'webhook down' },
    ],
    [
      { allowed: false, denied: true, reason: 'no', evaluationError: 'webhook down' },
      { kind: 'denied', reason: 'no' },
    ],
  ] as const)('%j means %j', (status, expected) => {
    expect(interpretReview(status)).toEqual(expected);
  });
});
