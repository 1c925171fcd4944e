import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testKubeconfig } from '../support/kubectl.ts';
import { slipway } from '../support/slipway.ts';
import { connectToApp } from '../support/wire-client.ts';
import { App } from './support/app.ts';
import { Place } from './support/place.ts';
import { planSession } from './support/wire-steps.ts';

test('commands to copy name the kubeconfig that was named to the window alone', async () => {
  await using place = await Place.make('window-kubeconfig');
  const { namespace, project: folder } = place;
  const commandOf = async (options: Parameters<typeof App.start>[0]): Promise<string> => {
    await using app = await App.start(options);
    using connection = await connectToApp(app.url);
    return (await planSession(connection.client, { namespace, name: 'web', folder })).commandLine;
  };
  const nowhere = join(folder, 'no-kubeconfig');
  const file = testKubeconfig();
  const named = await commandOf({ kubeconfig: nowhere, flags: ['--kubeconfig', file] });
  expect(named).toContain(` --kubeconfig ${file} `);
  const found = await commandOf({ kubeconfig: file });
  expect(found).not.toContain('--kubeconfig');
  // What the flag is needed for: without it the shell does not find the context.
  const context = /--kube-context (\S+)/.exec(named)?.[1] ?? '';
  const without = ['preflight', 'deploy/web', '-n', namespace, '--kube-context', context];
  expect((await slipway({ home: folder, kubeconfig: nowhere }, ...without)).code).not.toBe(0);
  expect((await slipway({ home: folder, kubeconfig: nowhere }, ...without, '--kubeconfig', file)).code).toBe(
    0,
  );
});
