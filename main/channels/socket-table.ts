/** One row of Linux's tables of TCP sockets (`/proc/net/tcp`, `/proc/net/tcp6`). */
export interface SocketRow {
  readonly localPort: number;
  readonly remotePort: number;
  /** Hexadecimal, as the kernel writes it. */
  readonly localAddress: string;
  readonly listening: boolean;
  /** 0 when no process holds the socket any more. */
  readonly inode: number;
}

const listenState = '0A';

/** Reads a table; rows of an unknown form are left out. */
export function parseSocketTable(text: string): readonly SocketRow[] {
  const rows: SocketRow[] = [];
  for (const line of text.split('\n').slice(1)) {
    const [, local = '', remote = '', state, , , , , , inode] = line.trim().split(/\s+/);
    const [localAddress = '', localPort = ''] = local.split(':');
    const [, remotePort = ''] = remote.split(':');
    if (inode === undefined || !/^\d+$/.test(inode) || localPort === '' || remotePort === '') continue;
    rows.push({
      localAddress,
      localPort: Number.parseInt(localPort, 16),
      remotePort: Number.parseInt(remotePort, 16),
      listening: state === listenState,
      inode: Number(inode),
    });
  }
  return rows;
}
