import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  apply,
  kubectl,
  kubectlWithInput,
  makeNamespace,
  testKubeconfig,
} from '../../../tests/support/kubectl.ts';
import { isSlipwayError } from '../../base/errors.ts';
import type { Identity, Kube } from '../kube.ts';
import { loadKubeconfig } from '../kubeconfig-load.ts';
import { selectContext } from '../kubeconfig-select.ts';
import { createStreams } from '../streams/streams.ts';
import { connectSelection } from '../testing/connect.ts';
import type { KubeTransport } from '../transport.ts';
import { missingRole } from './missing-role.ts';
import { missingRights, preflight, describeRight } from './preflight.ts';
import { createReview } from './review.ts';
import type { Channel } from './rights.ts';

const serverVersion = { major: 1, minor: 34 };
const findPods = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };

interface User extends AsyncDisposable {
  readonly kube: Pick<Kube, 'exec' | 'forward' | 'logs' | 'review'>;
  readonly transport: KubeTransport;
  readonly identity: Identity;
}

describe('rights on a real cluster', () => {
  let namespace: Awaited<ReturnType<typeof makeNamespace>>;

  beforeAll(async () => {
    namespace = await makeNamespace('ks-rights');
    await kubectl('-n', namespace.name, 'create', 'serviceaccount', 'default').catch(() => '');
    await kubectl('-n', namespace.name, 'run', 'web', '--image=sandbox/web:1');
    await kubectl('-n', namespace.name, 'wait', '--for=condition=Ready', 'pod/web', '--timeout=60s');
  });

  afterAll(() => namespace[Symbol.asyncDispose]());

  /** Rights that a test was given stay: tried again, it is somebody else. */
  let attempts = 0;

  /** A service account that may find pods, and what `rules` say. */
  async function userWith(name: string, rules: readonly object[]): Promise<User> {
    const metadata = { name, namespace: namespace.name };
    await apply(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ kind: 'ServiceAccount', name, namespace: namespace.name }],
      },
    );
    const token = (await kubectl('-n', namespace.name, 'create', 'token', name)).trim();
    const admin = selectContext(await loadKubeconfig({ environment: { KUBECONFIG: testKubeconfig() } }), {});
    const transport = connectSelection({ ...admin, user: { token } });
    return {
      kube: { ...createStreams(transport), review: createReview(transport) },
      transport,
      identity: { username: `system:serviceaccount:${namespace.name}:${name}`, groups: [] },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    };
  }

  async function verdictOf({ kube }: User, channel: Channel): Promise<string | undefined> {
    const options = {
      namespace: namespace.name,
      targetKind: 'Pod',
      serverVersion,
      channels: [channel],
    } as const;
    return (await preflight(kube, options))[0]?.verdict;
  }

  async function reallyAllowed({ kube }: User, channel: 'terminal' | 'forward'): Promise<boolean> {
    const target = { namespace: namespace.name, pod: 'web' };
    try {
      if (channel === 'terminal') {
        await using stream = await kube.exec(target, { command: ['true'] });
        expect(await stream.status).toEqual({ kind: 'exited', code: 0 });
      } else {
        (await kube.forward({ ...target, port: 8080 })).destroy();
      }
      return true;
    } catch (error) {
      if (isSlipwayError(error, 'cluster.forbidden')) return false;
      throw error;
    }
  }

  it.each([
    ['get', ['get'], true],
    ['create', ['create'], false],
    ['both', ['get', 'create'], true],
    ['none', [], false],
  ] as const)('say for a stream with %s what the handshake says', async (name, verbs, expected) => {
    for (const [channel, resource] of [
      ['terminal', 'pods/exec'],
      ['forward', 'pods/portforward'],
    ] as const) {
      const rules = verbs.length === 0 ? [] : [{ apiGroups: [''], resources: [resource], verbs }];
      await using user = await userWith(`${channel}-${name}`, [findPods, ...rules]);
      expect([channel, await reallyAllowed(user, channel)]).toEqual([channel, expected]);
      expect([channel, await verdictOf(user, channel)]).toEqual([channel, expected ? 'allowed' : 'missing']);
    }
  });

  it('ask about the subresource, where a pod of that name would be allowed', async () => {
    await using user = await userWith('reader', [findPods]);
    const ask = (subresource: string) =>
      user.kube.review({ verb: 'get', group: '', resource: 'pods', subresource, namespace: namespace.name });
    for (const subresource of ['exec', 'log', 'portforward']) {
      expect(await ask(subresource)).toMatchObject({ kind: 'denied' });
      const args = ['auth', 'can-i', 'get', 'pods', `--subresource=${subresource}`, '-n', namespace.name];
      const asUser = `--as=${user.identity.username}`;
      expect(await kubectl(...args, asUser).catch((error: unknown) => String(error))).toMatch(/no|exit 1/);
    }
  });

  it('are complete once the printed role is applied', async () => {
    await using user = await userWith(`newcomer-${attempts++}`, []);
    const options = {
      namespace: namespace.name,
      targetKind: 'Deployment',
      targetName: 'web',
      serverVersion,
    } as const;
    const before = await preflight(user.kube, options);
    expect(before.every((channel) => channel.verdict === 'missing')).toBe(true);
    await kubectlWithInput(missingRole(before, namespace.name, user) ?? '', 'apply', '-f', '-');
    const after = await preflight(user.kube, options);
    expect(missingRights(after).map(describeRight)).toEqual([]);
    expect(after.every((channel) => channel.verdict === 'allowed')).toBe(true);
    expect(await reallyAllowed(user, 'terminal')).toBe(true);
    expect(await reallyAllowed(user, 'forward')).toBe(true);
  });
});
