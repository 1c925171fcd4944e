import { gzipSync } from 'node:zlib';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SyncBench } from './bench.ts';

const folder = fileURLToPath(new URL('../../assets/helper/', import.meta.url));
const goals = { disk: 8e6, wire: 3.2e6 };

/** How large what is put into a container is. */
export const helperSize: SyncBench = {
  name: 'helper-size',
  run() {
    const helpers = readdirSync(folder).filter((name) => /^slipway-helper-linux-\w+$/.test(name));
    const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
    return Promise.resolve(
      helpers.map((name) => {
        const [disk, wire] = [readFileSync(folder + name), readFileSync(`${folder}${name}.gz`)];
        return {
          what: `helper, ${name.replace('slipway-helper-', '')}`,
          goal: '≤ 8 MB on disk, ≤ 3.2 MB over the wire',
          measured: `${megabytes(disk.length)} on disk, ${megabytes(wire.length)} over the wire`,
          against: `gzip -6: ${megabytes(gzipSync(disk).length)}`,
          devspace: '17.9 MB',
          met: disk.length <= goals.disk && wire.length <= goals.wire,
          conditions: '',
        };
      }),
    );
  },
};
