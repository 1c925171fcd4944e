import { createServer, isIPv6, type AddressInfo, type Server, type Socket } from 'node:net';
import { SlipwayError } from '../base/errors.ts';
import { findPortHolder } from './port-holder.ts';

/** What is listened on unless asked otherwise: this machine only, by both names of localhost. */
export const loopbackAddresses: readonly string[] = ['127.0.0.1', '::1'];
/** How far above a taken port a free one is looked for. */
const proposalRange = 100;
/** How often another port is taken when the system's choice is taken on the second address. */
const anyPortAttempts = 10;

export interface ListenOptions {
  /** 0 lets the system choose. */
  readonly port: number;
  readonly addresses: readonly string[];
  readonly onConnection: (socket: Socket) => void;
}

export interface LocalListener extends AsyncDisposable {
  readonly port: number;
  /** What is listened on, as it is written in a URL: `127.0.0.1:8080`, `[::1]:8080`. */
  readonly bound: readonly string[];
}

/**
 * Listens on one port of several addresses. An address family that this machine does not have is left out; a port
 * that is taken on any of them is an error, and never replaced by another one.
 */
export async function listenLocally(options: ListenOptions): Promise<LocalListener> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listenOnAll(options);
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      if (error.code === 'EADDRINUSE' && options.port === 0 && attempt < anyPortAttempts) continue;
      throw await describeFailure(error, options.addresses);
    }
  }
}

class ListenError extends Error {
  readonly code: string;
  readonly address: string;
  readonly port: number;

  constructor(origin: NodeJS.ErrnoException, address: string, port: number) {
    super(origin.message, { cause: origin });
    this.code = origin.code ?? '';
    this.address = address;
    this.port = port;
  }
}

async function listenOnAll({ port: wanted, addresses, onConnection }: ListenOptions): Promise<LocalListener> {
  const servers: Server[] = [];
  const bound: string[] = [];
  let port = wanted;
  try {
    for (const address of addresses) {
      const server = await listenOn(address, port, onConnection);
      if (server === undefined) continue;
      servers.push(server);
      port = (server.address() as AddressInfo).port;
      bound.push(hostAndPort(address, port));
    }
    if (servers.length === 0) {
      throw new ListenError(new Error('No address of this machine fits.'), addresses.join(', '), port);
    }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  return {
    port,
    bound,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Undefined when the machine has no such address. */
function listenOn(
  address: string,
  port: number,
  onConnection: (socket: Socket) => void,
): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, onConnection);
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(undefined);
      else reject(new ListenError(error, address, port));
    });
    server.listen({ host: address, port, ipv6Only: isIPv6(address) }, () => resolve(server));
  });
}

async function describeFailure(error: ListenError, addresses: readonly string[]): Promise<SlipwayError> {
  const where = hostAndPort(error.address, error.port);
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new SlipwayError({
      code: 'port.forbidden',
      message: `This user may not listen on ${where}.`,
      cause: 'Ports below 1024 are kept for the administrator on this system.',
      next: `Choose a local port from 1024 up, for instance ${error.port + 8000}.`,
      origin: error,
    });
  }
  if (error.code === 'EADDRINUSE') {
    const holder = await findPortHolder(error.port);
    const free = await findFreePort(error.port, addresses);
    return new SlipwayError({
      code: 'port.in-use',
      message: `${where} is taken on this machine.`,
      cause:
        holder === undefined
          ? 'Another program listens there; this user may not see which.'
          : `${holder.name} (process ${holder.pid}) listens there.`,
      next: `Stop that program${free === undefined ? ', or choose another local port' : `, or choose another local port: ${free} is free`}.`,
      origin: error,
    });
  }
  return new SlipwayError({
    code: 'port.forbidden',
    message: `${where} cannot be listened on.`,
    next: 'Choose another address or local port.',
    origin: error,
  });
}

async function findFreePort(taken: number, addresses: readonly string[]): Promise<number | undefined> {
  for (let port = taken + 1; port <= Math.min(taken + proposalRange, 65_535); port++) {
    try {
      const listener = await listenOnAll({ port, addresses, onConnection: (socket) => socket.destroy() });
      await listener[Symbol.asyncDispose]();
      return port;
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
    }
  }
  return undefined;
}

function hostAndPort(address: string, port: number): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}
