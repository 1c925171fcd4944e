import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKubeconfig } from '../../tests/support/kubectl.ts';
import type { AskedProcess } from '../support/children.ts';
import { startHost, type StartedSession } from './host-questions.ts';
import { makePlace, type Place } from './place.ts';

/** A session that runs, in a main process of its own, and where. */
export interface RunningSession extends StartedSession, AsyncDisposable {
  readonly place: Place;
  readonly host: AskedProcess;
  readonly url: string;
  /** The address of a tab of its page. */
  hash(tab: string): string;
}

export async function runSession(
  prefix: string,
  options: {
    readonly command?: string | undefined;
    /** The one to use for a namespace instead of the administrator's. */
    readonly kubeconfig?: ((place: Place) => Promise<string>) | undefined;
  } = {},
): Promise<RunningSession> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await makePlace(prefix));
  const home = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
  stack.defer(() => rmSync(home, { recursive: true, force: true }));
  const kubeconfig = (await options.kubeconfig?.(place)) ?? testKubeconfig();
  const host = stack.use(startHost({ kubeconfig, home }));
  const url = await host.ask<string>({ kind: 'url' });
  const { namespace, folder } = place;
  const { command } = options;
  const started = await host.ask<StartedSession>({ kind: 'session', namespace, folder, command });
  const owned = stack.move();
  return {
    ...started,
    ...{ place, host, url },
    hash: (tab) => `#/session/${started.session}/${tab}`,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
