import type { Socket } from 'node:net';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { parseSocketTable, type SocketRow } from './socket-table.ts';

export interface PortHolder {
  readonly pid: number;
  readonly name: string;
}

/** How many processes are looked into for the holder of a port. */
const maximumProcesses = 20_000;

/** Who listens on a local port, where this system tells (Linux, processes of the same user); undefined elsewhere. */
export async function findPortHolder(port: number): Promise<PortHolder | undefined> {
  const rows = await readSocketTables();
  const inodes = new Set(
    rows.filter((row) => row.listening && row.localPort === port && row.inode !== 0).map((row) => row.inode),
  );
  if (inodes.size === 0) return undefined;
  const pids = (await orEmpty(readdir('/proc')))
    .filter((name) => /^\d+$/.test(name))
    .slice(0, maximumProcesses);
  for (const pid of pids) {
    for (const descriptor of await orEmpty(readdir(`/proc/${pid}/fd`))) {
      const link = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode === undefined || !inodes.has(Number(inode))) continue;
      const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'unknown');
      return { pid: Number(pid), name: name.trim() };
    }
  }
  return undefined;
}

/** Whether the local program at the other end of an accepted connection has gone. */
export type PeerCheck = (socket: Pick<Socket, 'localPort' | 'remotePort'>) => Promise<boolean>;

/**
 * Makes a check that tells a program that has closed its connection for good from one that only ended its sending:
 * no process holds the socket of the former. False where the system does not tell. However many ask at once, the
 * kernel's tables are read once for all, after the last of them has asked.
 */
export function createPeerCheck(): PeerCheck {
  let reading: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly SocketRow[]> | undefined;
  const freshTables = (): Promise<readonly SocketRow[]> => {
    next ??= reading.then(() => {
      next = undefined;
      const tables = readSocketTables();
      reading = tables;
      return tables;
    });
    return next;
  };
  return async ({ localPort, remotePort }) => {
    if (localPort === undefined || remotePort === undefined) return true;
    const peers = (await freshTables()).filter(
      (row) => row.localPort === remotePort && row.remotePort === localPort,
    );
    return peers.length > 0 && peers.every((peer) => peer.inode === 0);
  };
}

async function readSocketTables(): Promise<readonly SocketRow[]> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return tables.flatMap(parseSocketTable);
}

async function orEmpty(names: Promise<string[]>): Promise<string[]> {
  return names.catch(() => []);
}
