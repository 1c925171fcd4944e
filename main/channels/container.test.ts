import { describe, expect, it } from 'vitest';
import { chooseContainer } from './container.ts';

const container = (name: string) => ({ name });
const pod = {
  metadata: { name: 'web-1', annotations: { 'kubectl.kubernetes.io/default-container': 'app' } },
  spec: { containers: [container('proxy'), container('app')], initContainers: [container('migrate')] },
};

describe('the container of a pod that is meant', () => {
  it('is the one asked for, also an init container', () => {
    expect(chooseContainer(pod, 'proxy')).toBe('proxy');
    expect(chooseContainer(pod, 'migrate')).toBe('migrate');
  });

  it('is the one that the pod names, or else the first', () => {
    expect(chooseContainer(pod)).toBe('app');
    expect(
      chooseContainer({
        ...pod,
        metadata: { annotations: { 'kubectl.kubernetes.io/default-container': 'gone' } },
      }),
    ).toBe('proxy');
  });

  it('is an error that lists the names when there is none of that name', () => {
    expect(() => chooseContainer(pod, 'web')).toThrow(
      expect.objectContaining({
        code: 'workload.container-unknown',
        causeText: 'Its containers are proxy, app, migrate.',
      }) as Error,
    );
  });
});
