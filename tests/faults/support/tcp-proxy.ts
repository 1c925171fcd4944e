import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { join } from 'node:path';
import { testKubeconfig } from '../../support/kubectl.ts';
import { kubeconfigWith, testServer } from '../../support/service-account.ts';

export type ProxyCommand =
  /** Resets every connection, as a router that restarts. */
  | { readonly kind: 'cut' }
  /** Resets what connects. */
  | { readonly kind: 'refuse'; readonly on: boolean }
  /** Nothing is read or written any more, both ways, until it is off again. Connections are still taken. */
  | { readonly kind: 'block'; readonly on: boolean }
  /** The connections that there are never carry anything again and do not end; new ones work. */
  | { readonly kind: 'kill' }
  | { readonly kind: 'delay'; readonly ms: number };

/** A line to the test cluster's API server that breaks as told. TLS goes through it untouched. */
export class TcpProxy implements AsyncDisposable {
  readonly address: string;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (count: number) => void>();
  #lastId = 0;

  private constructor(worker: Worker, port: number) {
    this.#worker = worker;
    this.address = `https://127.0.0.1:${port}`;
    worker.on('message', ({ id, count }: { readonly id: number; readonly count: number }) => {
      this.#waiting.get(id)?.(count);
      this.#waiting.delete(id);
    });
  }

  static async start(): Promise<TcpProxy> {
    const { hostname, port } = new URL(testServer());
    const worker = new Worker(new URL('./proxy.worker.ts', import.meta.url), {
      workerData: { host: hostname, port: Number(port) },
    });
    const [{ port: own }] = (await once(worker, 'message')) as [{ port: number }];
    return new TcpProxy(worker, own);
  }

  /** Resolves, when it is done, with how many connections there were. */
  run(command: ProxyCommand): Promise<number> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ id, command });
    });
  }

  /** A kubeconfig that leads through the proxy: its address is one of the server's own names. */
  kubeconfig(folder: string): string {
    return kubeconfigWith(testKubeconfig(), join(folder, 'kubeconfig'), (config) => {
      for (const { cluster } of config.clusters) cluster['server'] = this.address;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
