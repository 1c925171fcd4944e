import { describe, expect, it } from 'vitest';
import { startForm, type Detection, type StartForm } from '../../../contract/workloads.ts';
import { draftOf, emptyDraft, readDraft, withDetection, type Draft } from './draft.ts';
import { startReason } from './start-reason.ts';

const key = { cluster: 'c', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
const filled: Draft = { ...emptyDraft, folder: ' /home/anna/shop ', containerPath: '/app' };
const detection: Detection = {
  folder: '/home/anna/shop',
  containerPath: { value: '/srv', why: 'x' },
  excludes: [{ value: '.git/', why: 'x' }],
  ports: [{ value: { local: 8080, remote: 80 }, why: 'x' }],
  devspaceConfig: false,
};

describe('a draft', () => {
  it('takes over what was found out, but for what the user has said', () => {
    const taken = withDetection(filled, detection);
    expect(taken).toMatchObject({ containerPath: '/srv', excludes: detection.excludes });
    expect(taken.ports).toEqual([{ local: '8080', remote: '80', why: 'x' }]);
    const touched = withDetection({ ...filled, touched: new Set(['containerPath', 'ports']) }, detection);
    expect(touched).toMatchObject({ containerPath: '/app', ports: [], excludes: detection.excludes });
  });

  it('of a start that is known says the same again, and leaves what it does not say to be found out', () => {
    const form: StartForm = {
      ...{ ...key, folder: '/home/anna/shop', container: 'web', containerPath: '/app', createPath: true },
      ...{ strategy: 'keepAll', excludes: ['dist/'], ports: [{ local: 3000, remote: 80 }], image: 'node:24' },
      ...{ command: 'npm run dev', env: [{ name: 'A', value: 'b' }] },
    };
    const draft = withDetection(draftOf(form), detection);
    expect(readDraft(key, draft, ['web', 'proxy'])).toEqual({ kind: 'form', form });
    const folder = withDetection(draftOf({ folder: '/home/anna/shop' }), detection);
    expect(folder).toEqual(withDetection({ ...emptyDraft, folder: '/home/anna/shop' }, detection));
  });

  it('is a form that main takes', () => {
    const read = readDraft(
      key,
      {
        ...filled,
        ports: [
          { local: '8080', remote: '', why: '' },
          { local: '', remote: '', why: '' },
        ],
        command: ' npm run dev ',
        env: [
          { name: 'A', value: ' b ' },
          { name: '', value: '' },
        ],
      },
      ['web'],
    );
    expect(read.kind).toBe('form');
    if (read.kind !== 'form') return;
    expect(startForm.parse(read.form)).toEqual(read.form);
    expect(read.form).toMatchObject({
      folder: '/home/anna/shop',
      ports: [{ local: 8080, remote: 8080 }],
      command: 'npm run dev',
      env: [{ name: 'A', value: ' b ' }],
    });
    expect(read.form).not.toHaveProperty('container');
    expect(read.form).not.toHaveProperty('image');
  });

  it('names a container where there is a choice', () => {
    const read = readDraft(key, filled, ['web', 'proxy']);
    expect(read).toMatchObject({ form: { container: 'web' } });
    expect(readDraft(key, { ...filled, container: 'proxy' }, ['web', 'proxy'])).toMatchObject({
      form: { container: 'proxy' },
    });
  });

  it.each<[Partial<Draft>, RegExp]>([
    [{ folder: '' }, /Choose a folder/],
    [{ containerPath: ' ' }, /where the folder belongs/],
    [{ containerPath: '/a:b' }, /without a colon/],
    [{ containerPath: '/a/../b' }, /without a colon/],
    [{ ports: [{ local: '99999', remote: '80', why: '' }] }, /99999 is not a port/],
    [{ ports: [{ local: 'x', remote: '', why: '' }] }, /x is not a port/],
    [{ env: [{ name: '', value: 'x' }] }, /needs a name/],
    [{ env: [{ name: 'a=b', value: 'x' }] }, /needs a name/],
  ])('with %j is unfinished: %s', (more, reason) => {
    const read = readDraft(key, { ...filled, ...more }, ['web']);
    expect(read.kind === 'unfinished' && read.reason).toMatch(reason);
  });
});

describe('why Start cannot be pressed', () => {
  const read = readDraft(key, filled, ['web']);
  const calm = { pending: false, error: undefined };
  const plan = { obstacles: [] } as never;
  const obstacle = { code: 'rights.missing', message: 'You may not.', cause: '', next: '' } as const;

  it.each([
    ['it can be', { read, detection: calm, plan, pending: false, error: undefined }, undefined],
    [
      'the form is unfinished',
      {
        read: readDraft(key, emptyDraft, []),
        detection: calm,
        plan: undefined,
        pending: false,
        error: undefined,
      },
      'Choose a folder first.',
    ],
    [
      'the folder is wrong',
      { read, detection: { pending: false, error: obstacle }, plan, pending: false, error: undefined },
      'You may not.',
    ],
    [
      'it is being looked',
      { read, detection: { ...calm, pending: true }, plan, pending: false, error: undefined },
      'The folder is being looked at.',
    ],
    [
      'the plan is old',
      { read, detection: calm, plan, pending: true, error: undefined },
      'The flight plan is being made.',
    ],
    [
      'there is no plan',
      { read, detection: calm, plan: undefined, pending: false, error: obstacle },
      'You may not.',
    ],
    [
      'something stands against it',
      {
        read,
        detection: calm,
        plan: { obstacles: [obstacle, obstacle] } as never,
        pending: false,
        error: undefined,
      },
      'You may not. (and 1 more)',
    ],
  ])('%s', (_name, state, reason) => {
    expect(startReason(state)).toBe(reason);
  });
});
