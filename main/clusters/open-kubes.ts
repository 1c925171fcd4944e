import { createHash } from 'node:crypto';
import type { Kube } from '../kube/kube.ts';
import type { Selection } from '../kube/kubeconfig-select.ts';
import type { ClusterSource } from './cluster-list.ts';
import { createSwitchingKube, type SwitchingKube } from './switching-kube.ts';

/** How many connections of sign-ins that were written anew stay open for streams that still run on them. */
const maximumRetired = 32;

export interface OpenKubesOptions {
  readonly open: (selection: Selection, source: ClusterSource) => Kube;
  /** Called when a cluster in use has another connection; `sameKube` when its users go on with the same Kube. */
  readonly onRenewed: (id: string, sameKube: boolean) => void;
}

interface Opened {
  readonly switching: SwitchingKube;
  /** Equal while it is the same user at the same place. */
  readonly identity: string;
  readonly fingerprint: string;
  readonly connection: Kube;
}

/**
 * One shared Kube for each cluster in use. When only the sign-in is another one, its users go on with the same Kube
 * on a new connection. When the address, the user or the namespace is another one, new users get a new Kube and
 * those before keep theirs: nobody finds themselves in another cluster than the one that they began with.
 */
export class OpenKubes implements AsyncDisposable {
  readonly #opened = new Map<string, Opened>();
  readonly #retired: Kube[] = [];
  readonly #options: OpenKubesOptions;

  constructor(options: OpenKubesOptions) {
    this.#options = options;
  }

  /** The newest Kube of the cluster. */
  get(id: string, selection: Selection, source: ClusterSource): Kube {
    const known = this.#opened.get(id);
    const identity = identityOf(selection);
    const fingerprint = fingerprintOf(selection);
    const isSame = known?.identity === identity;
    if (isSame && known.fingerprint === fingerprint) return known.switching.kube;
    const connection = this.#options.open(selection, source);
    const switching = isSame ? known.switching : createSwitchingKube(connection);
    this.#opened.set(id, { switching, identity, fingerprint, connection });
    if (known === undefined) return switching.kube;
    this.#retire(known.connection);
    if (isSame) switching.switchTo(connection);
    this.#options.onRenewed(id, isSame);
    return switching.kube;
  }

  ids(): readonly string[] {
    return [...this.#opened.keys()];
  }

  /** New users get none any more; those before keep theirs. */
  forget(id: string): void {
    const known = this.#opened.get(id);
    if (known === undefined) return;
    this.#opened.delete(id);
    this.#retire(known.connection);
  }

  #retire(connection: Kube): void {
    this.#retired.push(connection);
    if (this.#retired.length > maximumRetired) void this.#retired.shift()?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#retired, ...[...this.#opened.values()].map(({ connection }) => connection)];
    this.#retired.length = 0;
    this.#opened.clear();
    await Promise.all(all.map((connection) => connection[Symbol.asyncDispose]()));
  }
}

function identityOf({ contextName, namespace, cluster, userName, user }: Selection): string {
  const acting = [user.as, user['as-uid'], user['as-groups'], user['as-user-extra']];
  return JSON.stringify([contextName, namespace, cluster.server, userName, acting]);
}

/** Holds nothing of what it was made from: sign-ins are in it. */
function fingerprintOf(selection: Selection): string {
  return createHash('sha256').update(JSON.stringify(selection)).digest('hex');
}
