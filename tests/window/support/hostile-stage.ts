import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Client } from '../../../renderer/ipc/remote-client.ts';
import { apply, kubectl, testKubeconfig } from '../../support/kubectl.ts';
import { connectToApp } from '../../support/wire-client.ts';
import { App } from './app.ts';
import {
  hostileDeployment,
  hostileEvent,
  hostileLeases,
  hostileReplacement,
  hostileText,
  makeHostilePod,
  writeHostileFiles,
} from './hostile.ts';
import { Place } from './place.ts';
import { onlyCluster, startOverWire } from './wire-steps.ts';

/** A hostile cluster, a folder with hostile names, and an app with a session between the two. */
export class HostileStage implements AsyncDisposable {
  readonly place: Place;
  readonly app: App;
  readonly client: Client;
  readonly cluster: string;
  readonly session: string;
  /** The user's own folder. */
  readonly home: string;
  readonly kubeconfig: string;
  readonly #connection: Disposable;

  static async make(prepare: (project: string) => void): Promise<HostileStage> {
    const home = mkdtempSync(join(tmpdir(), 'slipway-hostile-'));
    const kubeconfig = hostileKubeconfig(home);
    const [place, app] = await Promise.all([makePlace(), App.start({ home, kubeconfig })]);
    writeHostileFiles(place.project);
    prepare(place.project);
    const connection = await connectToApp(app.url);
    const { client } = connection;
    const { namespace, project } = place;
    const session = await startOverWire(client, { namespace, name: 'hostile', folder: project });
    const cluster = await onlyCluster(client);
    return new HostileStage({ place, app, client, cluster, session, home, kubeconfig, connection });
  }

  private constructor(
    parts: Pick<HostileStage, 'place' | 'app' | 'client' | 'cluster' | 'session' | 'home' | 'kubeconfig'> & {
      readonly connection: Disposable;
    },
  ) {
    this.place = parts.place;
    this.app = parts.app;
    this.client = parts.client;
    this.cluster = parts.cluster;
    this.session = parts.session;
    this.home = parts.home;
    this.kubeconfig = parts.kubeconfig;
    this.#connection = parts.connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection[Symbol.dispose]();
    await this.app[Symbol.asyncDispose]();
    rmSync(this.home, { recursive: true, force: true });
    await this.place[Symbol.asyncDispose]();
  }
}

async function makePlace(): Promise<Place> {
  const place = await Place.make('window-hostile');
  const { namespace } = place;
  await Promise.all([
    apply(
      hostileDeployment(namespace, 'hostile'),
      hostileDeployment(namespace, 'untouched'),
      hostileReplacement(namespace),
      hostileEvent(namespace, 'Deployment', 'hostile'),
      ...hostileLeases(namespace, 'untouched', 'uid'),
    ),
    makeHostilePod(namespace, 'pod'),
    kubectl('label', 'namespace', namespace, `hostile=${'l'.repeat(63)}`),
    kubectl('annotate', 'namespace', namespace, `hostile=${hostileText('namespace')}`),
  ]);
  await kubectl('-n', namespace, 'rollout', 'status', 'deployment/hostile', '--timeout=90s');
  return place;
}

interface KubeconfigContent {
  readonly clusters: readonly { readonly cluster: unknown }[];
  readonly users: readonly { readonly user: unknown }[];
}

/** The same cluster and user under names that nobody should trust. */
function hostileKubeconfig(folder: string): string {
  const { clusters, users } = parse(readFileSync(testKubeconfig(), 'utf8')) as KubeconfigContent;
  const [context, cluster, user] = ['context', 'cluster', 'user'].map((name) => hostileText(name));
  const path = join(folder, 'kubeconfig');
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: clusters[0]?.cluster }],
    users: [{ name: user, user: users[0]?.user }],
    contexts: [{ name: context, context: { cluster, user } }],
    'current-context': context,
  };
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
  return path;
}
