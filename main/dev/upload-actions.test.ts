import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import type { SlipwayError } from '../base/errors.ts';
import type { UploadCommand } from '../sync/on-upload.ts';
import { UploadActions, type UploadAction, type UploadActionsOptions } from './upload-actions.ts';

const command = (name: string, more: Partial<UploadCommand> = {}): UploadCommand => ({
  name,
  command: [name],
  local: false,
  once: false,
  failOnError: false,
  onChange: [],
  ...more,
});

function open(exec: readonly UploadCommand[], more: Partial<UploadActionsOptions> = {}) {
  const told: string[] = [];
  const failures: SlipwayError[] = [];
  const actions = new UploadActions({
    onUpload: { exec, restartContainer: false },
    clock: systemClock,
    commandsFor: () => exec,
    run: () => Promise.resolve(0),
    restart: () => Promise.resolve(true),
    tell: ({ name, state }: UploadAction) => told.push(`${name} ${state}`),
    fail: (error) => failures.push(error),
    ...more,
  });
  return { actions, told, failures };
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('what follows uploads', () => {
  it('runs once for the whole first sync, at its end, and for each later batch', async () => {
    const batches: number[] = [];
    const { actions } = open([command('a')], {
      commandsFor: (paths) => {
        batches.push(paths.size);
        return [];
      },
    });
    for (let index = 0; index < 5; index++) actions.uploaded(`first-${index}`);
    await pause(150);
    expect(batches).toEqual([]);
    actions.atRest();
    actions.atRest();
    actions.uploaded('x', 'y');
    actions.uploaded('z');
    await pause(200);
    await actions.idle();
    expect(batches).toEqual([5, 3]);
  });

  it('does not wait for ever for uploads that never pause', async () => {
    let batches = 0;
    const { actions } = open([], { commandsFor: () => (batches++, []) });
    actions.atRest();
    const end = performance.now() + 1600;
    while (performance.now() < end) {
      actions.uploaded('x');
      await pause(10);
    }
    expect(batches).toBeGreaterThanOrEqual(1);
    await actions[Symbol.asyncDispose]();
  });

  it('goes on after a command that fails, and ends the sync after one that must not', async () => {
    const run = (each: UploadCommand) => Promise.resolve(each.name === 'good' ? 0 : 3);
    const { actions, told, failures } = open(
      [command('bad'), command('good'), command('must', { failOnError: true })],
      { run },
    );
    actions.uploaded('x');
    actions.atRest();
    await actions.idle();
    expect(told).toEqual([
      'bad started',
      'bad failed',
      'good started',
      'good ended',
      'must started',
      'must failed',
    ]);
    expect(failures.map(({ code }) => code)).toEqual(['sync.command-failed']);
  });

  it('tells no more of a flood than its beginning and its end', async () => {
    const texts: string[] = [];
    const { actions } = open([command('flood')], {
      run: (_, { onOutput }) => {
        for (let index = 0; index < 1000; index++) onOutput(`${index} ${'x'.repeat(1000)}\n`);
        return Promise.resolve(0);
      },
      tell: ({ text }) => texts.push(text),
    });
    actions.uploaded('x');
    actions.atRest();
    await actions.idle();
    expect(texts.join('').length).toBeLessThan(70_000);
    expect(texts.at(-1)).toContain('999 x');
  });

  it('ends what runs when it is disposed, and tells nothing of it', async () => {
    const { actions, told } = open([command('long'), command('next')], {
      run: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        ),
    });
    actions.uploaded('x');
    actions.atRest();
    await pause(20);
    await actions[Symbol.asyncDispose]();
    expect(told).toEqual(['long started']);
  });
});
