import { describe, expect, it } from 'vitest';
import { parseSocketTable } from './socket-table.ts';

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:46A0 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 53218 1 0000000000000000 100 0 0 10 0
   1: 0100007F:D431 0100007F:46A0 06 00000000:00000000 03:00000EA6 00000000     0        0 0 3 0000000000000000
  x: broken
`;

describe("the kernel's table of sockets", () => {
  it('tells ports, state and inode of each row, and skips what it does not know', () => {
    expect(parseSocketTable(table)).toEqual([
      { localAddress: '0100007F', localPort: 18080, remotePort: 0, listening: true, inode: 53218 },
      { localAddress: '0100007F', localPort: 54321, remotePort: 18080, listening: false, inode: 0 },
    ]);
    expect(parseSocketTable('')).toEqual([]);
  });
});
