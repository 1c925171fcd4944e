import { BlockList, isIP } from 'node:net';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a server, or undefined for none: the cluster's own `proxy-url`, otherwise the environment as Go
 * reads it (HTTPS_PROXY or HTTP_PROXY by the server's scheme, lower case too, unless NO_PROXY or loopback).
 */
export function proxyFor(
  server: URL,
  proxyUrl: string | undefined,
  environment: Environment,
): URL | undefined {
  if (proxyUrl !== undefined && proxyUrl !== '') return parseProxy(proxyUrl);
  const names = server.protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const value = firstOf(environment, names);
  if (value === '' || isExempt(server, firstOf(environment, ['NO_PROXY', 'no_proxy']))) return undefined;
  return parseProxy(value);
}

/** A proxy's address without its user name and password. */
export function proxyLabel(proxy: URL): string {
  return `${proxy.protocol}//${proxy.host}`;
}

export function parseProxy(value: string): URL | undefined {
  for (const candidate of [value, `http://${value}`]) {
    const url = URL.canParse(candidate) ? new URL(candidate) : undefined;
    if (url !== undefined && url.host !== '') return url;
  }
  return undefined;
}

function firstOf(environment: Environment, names: readonly string[]): string {
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined && value !== '') return value;
  }
  return '';
}

function isExempt(server: URL, noProxy: string): boolean {
  const host = bareHost(server.hostname);
  const port = server.port !== '' ? server.port : server.protocol === 'https:' ? '443' : '80';
  if (host === 'localhost' || isLoopback(host)) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const range = /^(.+)\/(\d+)$/.exec(entry);
  if (range !== null) return isInRange(host, range[1] ?? '', Number(range[2]));
  const [name, wantedPort] = splitPort(entry);
  if (name === '' || (wantedPort !== '' && wantedPort !== port)) return false;
  if (isIP(name) !== 0) return isIP(host) !== 0 && isInRange(host, name, isIP(name) === 6 ? 128 : 32);
  const domain = name.replace(/^\*\./, '.');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function splitPort(entry: string): [name: string, port: string] {
  if (isIP(entry) !== 0) return [entry, ''];
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry);
  return match === null ? ['', ''] : [bareHost(match[1] ?? ''), match[2] ?? ''];
}

function isLoopback(host: string): boolean {
  return isIP(host) !== 0 && (host === '::1' || isInRange(host, '127.0.0.0', 8));
}

function isInRange(host: string, network: string, prefix: number): boolean {
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || prefix > (family === 6 ? 128 : 32)) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, prefix, type);
  return list.check(host, type);
}

function bareHost(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}
