import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { checkServerIdentity, getCACertificates } from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { SocksProxyAgent } from 'socks-proxy-agent';
import { SlipwayError } from '../base/errors.ts';
import type { Credential } from './credentials.ts';
import { isSecure } from './credentials.ts';
import type { Selection } from './kubeconfig-select.ts';
import type { Environment } from './proxy.ts';
import { parseProxy, proxyFor, proxyLabel } from './proxy.ts';

/** Where a cluster is and how to get there. */
export interface Route {
  /** Without user, query and fragment; its path has no trailing slash. */
  readonly server: URL;
  readonly basePath: string;
  /** The server for messages. */
  readonly label: string;
  readonly secure: boolean;
  readonly proxy: URL | undefined;
  /** The proxy for messages, without its password. */
  readonly via: string | undefined;
}

/** Decides the address and the proxy of a cluster; throws `kubeconfig.invalid` when it has no usable address. */
export function planRoute(selection: Selection, environment: Environment): Route {
  const { cluster, clusterName } = selection;
  const secure = isSecure(selection);
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(cluster.server)
    ? cluster.server
    : `${secure ? 'https' : 'http'}://${cluster.server}`;
  const server = URL.canParse(address) ? new URL(address) : undefined;
  if (server === undefined || !['https:', 'http:'].includes(server.protocol)) {
    throw invalid(`The server address of the cluster "${clusterName}" is not an http or https address.`);
  }
  server.username = server.password = server.search = server.hash = '';
  const proxyUrl = cluster['proxy-url'];
  if (proxyUrl !== undefined && parseProxy(proxyUrl) === undefined) {
    throw invalid(`The proxy-url of the cluster "${clusterName}" is not an address.`);
  }
  const proxy = proxyFor(server, proxyUrl, environment);
  if (proxy !== undefined && !/^(https?|socks(4a?|5h?)?):$/.test(proxy.protocol)) {
    throw invalid(`The proxy ${proxyLabel(proxy)} is of a kind that is not known.`);
  }
  const basePath = server.pathname.replace(/\/+$/, '');
  return {
    server,
    basePath,
    label: `${server.origin}${basePath}`,
    secure,
    proxy,
    via: proxy === undefined ? undefined : proxyLabel(proxy),
  };
}

function invalid(cause: string): SlipwayError {
  return new SlipwayError({
    code: 'kubeconfig.invalid',
    message: 'The cluster has no usable address.',
    cause,
    next: 'Use http, https or socks5 addresses in the kubeconfig and in the proxy variables.',
  });
}

/** Bounds of one pool of connections. */
const poolOptions = {
  keepAlive: true,
  /** TCP keepalive on every connection, so that a vanished peer is noticed. */
  keepAliveMsecs: 15_000,
  maxSockets: 256,
  maxFreeSockets: 8,
  scheduling: 'lifo',
  /** An unused connection is closed before the server or a load balancer does so under a request. */
  timeout: 30_000,
} as const;

/** Pools of one cluster: one for the credential in use, and what still runs with earlier ones. */
export interface Agents extends Disposable {
  /** The pool of this credential; a credential with another fingerprint retires the pool before it. */
  pooled(credential: Credential): HttpAgent;
  /** For connections that are taken out of HTTP: never one that has been used before. */
  fresh(): HttpAgent;
}

export function createAgents(route: Route): Agents {
  let current: { readonly fingerprint: string; readonly agent: HttpAgent } | undefined;
  const retired = new Set<HttpAgent>();
  const dial = createAgent(route, { keepAlive: false });
  return {
    pooled(credential) {
      if (current?.fingerprint === credential.fingerprint) return current.agent;
      for (const agent of retired) if (Object.keys(agent.sockets).length === 0) retired.delete(agent);
      if (current !== undefined) retired.add(retire(current.agent));
      current = { fingerprint: credential.fingerprint, agent: createAgent(route, poolOptions) };
      return current.agent;
    },
    fresh: () => dial,
    [Symbol.dispose]() {
      for (const agent of [...retired, dial, ...(current === undefined ? [] : [current.agent])])
        agent.destroy();
    },
  };
}

function createAgent(route: Route, options: typeof poolOptions | { readonly keepAlive: false }): HttpAgent {
  const { proxy, secure } = route;
  if (proxy === undefined) return secure ? new HttpsAgent(options) : new HttpAgent(options);
  if (/^https?:$/.test(proxy.protocol)) return new HttpsProxyAgent(proxy, options);
  // Names are looked up by the proxy, as kubectl has it done.
  const remote = new URL(proxy.href.replace(/^socks5?:/, 'socks5h:').replace(/^socks4:/, 'socks4a:'));
  return new SocksProxyAgent(remote, options);
}

/** Lets requests under way end, and gives their connections to nobody else. */
function retire(agent: HttpAgent & { keepAlive?: boolean }): HttpAgent {
  agent.keepAlive = false;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
  return agent;
}

/** TLS settings of every connection to the cluster made with this credential. */
export function tlsOptions(selection: Selection, credential: Credential): ConnectionOptions {
  const { cluster } = selection;
  const { ca, cert, key } = credential.tls;
  const serverName = cluster['tls-server-name'];
  return {
    // Without an authority of its own a cluster is checked as a web site is: by the system's authorities too.
    ca: ca ?? [...getCACertificates('default'), ...getCACertificates('system')],
    ...(cert === undefined ? {} : { cert, key }),
    ...(serverName === undefined ? {} : namedServer(serverName)),
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
    minVersion: 'TLSv1.2',
  };
}

/** An address may be asked for in a certificate, but not in the greeting that asks for it. */
function namedServer(name: string): ConnectionOptions {
  if (isIP(name) === 0) return { servername: name };
  return {
    servername: '',
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
  };
}
