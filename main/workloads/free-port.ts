import { createServer } from 'node:net';

/** Ports that are tried from the wanted one upwards. */
const attempts = 50;

/** The port itself, or the next one that is free on this machine's loopback addresses; undefined when none near it is. */
export async function freePort(wanted: number): Promise<number | undefined> {
  for (let port = wanted; port < wanted + attempts && port <= 65_535; port += 1) {
    if (await isFree(port)) return port;
  }
  return undefined;
}

async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'));
}

function canListen(port: number, host: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  // A machine without the address family has nobody on that port of it.
  server.once('error', (error: NodeJS.ErrnoException) =>
    resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT'),
  );
  server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}
