import type { V1Pod } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { withImage } from './selector-pod-source.ts';

const pod: V1Pod = {
  spec: {
    containers: [
      { name: 'web', image: 'registry.local:5000/web:1.2' },
      { name: 'proxy', image: 'proxy@sha256:00' },
    ],
  },
};

it.each([
  ['registry.local:5000/web', ['web']],
  ['registry.local:5000/web:1.2', ['web']],
  ['registry.local:5000/web:1', []],
  ['registry.local', []],
  ['proxy', ['proxy']],
  ['prox', []],
])('image %s names containers %j', (image, names) => {
  const found = withImage(pod, image).flatMap(({ spec }) => spec?.containers.map(({ name }) => name) ?? []);
  expect(found).toEqual(names);
});
