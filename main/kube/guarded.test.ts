import { describe, expect, it, vi } from 'vitest';
import type { Guard } from '../../contract/settings.ts';
import { guardKube, kubeEffects } from './guarded.ts';
import type { Kube, ResourceType } from './kube.ts';
import { reachesInside } from './reaching-paths.ts';
import { resourceTypes } from './resource-types.ts';

const key = { namespace: 'shop', name: 'web' };
const target = { namespace: 'shop', pod: 'web-1' };
const { deployment, pod } = resourceTypes;
const review = (group: string, plural: string): ResourceType => ({
  group,
  version: 'v1',
  plural,
  kind: 'Review',
  namespaced: false,
});

interface Call {
  readonly member: keyof Kube;
  readonly what: string;
  readonly changes: boolean;
  readonly call: (kube: Kube) => unknown;
}

function call(member: keyof Kube, what: string, changes: boolean, run: (kube: Kube) => unknown): Call {
  return { member, what, changes, call: run };
}

const calls: readonly Call[] = [
  call('contextName', 'the name', false, (kube) => kube.contextName),
  call('defaultNamespace', 'the namespace', false, (kube) => kube.defaultNamespace),
  call('server', 'the address', false, (kube) => kube.server),
  call('get', 'an object', false, (kube) => kube.get(deployment, key)),
  call('get', 'its scale', false, (kube) => kube.get(deployment, key, { subresource: 'scale' })),
  call('get', 'what a pod serves', true, (kube) => kube.get(pod, key, { subresource: 'proxy' })),
  call('get', 'a path that a pod serves', true, (kube) => kube.get(pod, key, { subresource: 'proxy/x' })),
  call('list', 'objects', false, (kube) => kube.list(pod, 'shop')),
  call('create', 'an object', true, (kube) => kube.create(deployment, 'shop', {})),
  call('create', 'a dry run', false, (kube) => kube.create(deployment, 'shop', {}, { dryRun: true })),
  call('create', 'an eviction', true, (kube) => kube.create(pod, 'shop', {}, { subresource: 'eviction' })),
  call('create', 'a command, as a dry run', true, (kube) =>
    kube.create(pod, 'shop', {}, { dryRun: true, subresource: 'exec' }),
  ),
  call('create', 'a review of oneself', false, (kube) =>
    kube.create(review('authentication.k8s.io', 'selfsubjectreviews'), undefined, {}),
  ),
  call('create', 'a review of own rights', false, (kube) =>
    kube.create(review('authorization.k8s.io', 'selfsubjectrulesreviews'), undefined, {}),
  ),
  call('create', 'something named like a review', true, (kube) =>
    kube.create(review('example.com', 'selfsubjectreviews'), undefined, {}),
  ),
  call('create', 'a token', true, (kube) => kube.create(review('', 'serviceaccounts'), 'shop', {})),
  call('replace', 'an object', true, (kube) => kube.replace(deployment, key, {})),
  call('replace', 'a dry run', false, (kube) => kube.replace(deployment, key, {}, { dryRun: true })),
  call('patch', 'an object', true, (kube) => kube.patch(deployment, key, { kind: 'merge', body: {} })),
  call('patch', 'its scale', true, (kube) =>
    kube.patch(deployment, key, { kind: 'merge', body: {} }, { subresource: 'scale' }),
  ),
  call('patch', 'a dry run', false, (kube) =>
    kube.patch(deployment, key, { kind: 'merge', body: {} }, { dryRun: true }),
  ),
  call('delete', 'an object', true, (kube) => kube.delete(deployment, key)),
  call('watch', 'objects', false, (kube) => kube.watch(pod, 'shop', {}, () => undefined)),
  call('raw', 'a path', false, (kube) => kube.raw('/api/v1/namespaces/shop/pods')),
  call('raw', 'what a pod serves', true, (kube) => kube.raw('/api/v1/namespaces/shop/pods/web/proxy/x')),
  call('exec', 'a command', true, (kube) => kube.exec(target, { command: ['ls'] })),
  call('attach', 'a process', true, (kube) => kube.attach(target, {})),
  call('forward', 'a port', true, (kube) => kube.forward({ ...target, port: 80 })),
  call('logs', 'of a container', false, (kube) => kube.logs(target)),
  call('review', 'a right', false, (kube) => kube.review({ verb: 'get', group: '', resource: 'pods' })),
  call('whoAmI', 'the user', false, (kube) => kube.whoAmI()),
  call('version', 'of the server', false, (kube) => kube.version()),
  call(Symbol.asyncDispose, 'the connections', false, (kube) => kube[Symbol.asyncDispose]()),
];

/** A Kube whose every method says that it was reached. */
function reachable(): { readonly kube: Kube; readonly reached: ReturnType<typeof vi.fn> } {
  const reached = vi.fn(() => Promise.resolve('reached'));
  const members = Object.entries(kubeEffects).map(([member]) => [member, reached] as const);
  const kube = { ...Object.fromEntries(members), [Symbol.asyncDispose]: reached } as unknown as Kube;
  return { kube: { ...kube, contextName: 'prod', defaultNamespace: 'shop', server: 'https://x' }, reached };
}

async function outcome(guard: Guard, { call: run }: Call): Promise<{ code?: unknown; reached: number }> {
  const { kube, reached } = reachable();
  const guarded = guardKube(kube, { guard: () => guard, context: 'prod', next: 'Change it.' });
  try {
    await run(guarded);
    return { reached: reached.mock.calls.length };
  } catch (error) {
    return { code: (error as { code: unknown }).code, reached: reached.mock.calls.length };
  }
}

describe('a guarded cluster', () => {
  it('has every part of the interface in the table below', () => {
    const named = new Set(calls.map(({ member }) => member));
    expect(Reflect.ownKeys(kubeEffects).filter((member) => !named.has(member as keyof Kube))).toEqual([]);
    const { kube } = reachable();
    const guarded = guardKube(kube, { guard: () => 'read-only', context: 'prod', next: '' });
    expect(new Set(Reflect.ownKeys(guarded))).toEqual(new Set(Reflect.ownKeys(kubeEffects)));
  });

  it.each(calls)('$member of $what: changes $changes', async (entry) => {
    const isValue = entry.call(reachable().kube) === entry.call(reachable().kube);
    const reached = isValue ? 0 : 1;
    const passed = { reached };
    expect(await outcome('none', entry)).toEqual(passed);
    expect(await outcome('read-only', entry)).toEqual(
      entry.changes ? { code: 'cluster.read-only', reached: 0 } : passed,
    );
    expect(await outcome('confirm', entry)).toEqual(
      entry.changes ? { code: 'cluster.confirmation-needed', reached: 0 } : passed,
    );
    const effect = kubeEffects[entry.member];
    if (effect !== 'depends') expect(entry.changes).toBe(effect === 'changes');
  });

  it('asks for its guard at each call', async () => {
    let guard: Guard = 'none';
    const { kube } = reachable();
    const guarded = guardKube(kube, { guard: () => guard, context: 'prod', next: 'Change it.' });
    await guarded.delete(deployment, key);
    guard = 'read-only';
    await expect(guarded.delete(deployment, key)).rejects.toMatchObject({
      code: 'cluster.read-only',
      next: 'Change it.',
    });
  });
});

describe('a path', () => {
  it.each([
    ['/api/v1/namespaces/shop/pods', false],
    ['/api/v1/namespaces/shop/pods/proxy', false],
    ['/api/v1/namespaces/proxy/pods', false],
    ['/api/v1/namespaces/proxy', false],
    ['/api/v1/namespaces/exec/pods/exec/log', false],
    ['/apis/apps/v1/namespaces/shop/deployments/web/scale', false],
    ['/healthz', false],
    ['/api/v1/namespaces/shop/pods/web/proxy', true],
    ['/api/v1/namespaces/shop/pods/web:8080/proxy/delete?all=1', true],
    ['api/v1/namespaces/shop/services/web/proxy/', true],
    ['//api/v1/nodes/a/proxy/run', true],
    ['/api/v1/namespaces/shop/pods/web/exec?command=ls', true],
    ['/api/v1/namespaces/shop/pods/web/attach', true],
    ['/api/v1/namespaces/shop/pods/web/portforward', true],
    ['/api/v1/namespaces/shop/pods/web/%70roxy/x', true],
    ['/api/v1/namespaces/shop/pods/web%2Fproxy/x', true],
    ['/api/v1/namespaces/shop/pods/web/log/../proxy/x', true],
    ['/api/v1/namespaces/shop/pods/web/%2e%2e/web/proxy/x', true],
    ['/api/v1/proxy/namespaces/shop/pods/web', true],
    ['/api/v1/namespaces/shop/pods/a#/../web/proxy/x', true],
    ['/api/v1/%zz', true],
  ])('%s reaches inside: %s', (path, reaches) => {
    expect(reachesInside(path)).toBe(reaches);
  });
});
