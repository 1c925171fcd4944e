import { expect, it } from 'vitest';
import { isSlipwayError } from '../base/errors.ts';
import { buildDevObject } from './dev-object.ts';

const wrapper = ['sh', '-c', 'wait', 'slipway', '.slipway-x'];
const build = (container: object, changes: object = {}) =>
  buildDevObject(
    {
      metadata: { name: 'web' },
      spec: { selector: {}, template: { spec: { containers: [{ name: 'web', ...container }] } } },
    },
    { container: 'web', project: 'p', changes: { ...changes, wrapper } },
  ).manifest.spec?.template.spec?.containers[0];

it('puts the command and its arguments, of the workload or the developer, below the wrapper', () => {
  expect(build({ command: ['node'], args: ['a', 'b'] })).toMatchObject({
    command: [...wrapper, 'node', 'a', 'b'],
  });
  expect(build({ command: ['node'], args: ['a', 'b'] })).not.toHaveProperty('args');
  expect(build({ args: ['a'] }, { command: ['npm', 'start'] })).toMatchObject({
    command: [...wrapper, 'npm', 'start'],
  });
});

it('needs a command, since the one of the image is not known', () => {
  let error: unknown;
  try {
    build({ args: ['a'] });
  } catch (caught) {
    error = caught;
  }
  expect(isSlipwayError(error, 'usage.invalid')).toBe(true);
});
