import { resolve } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { Command } from 'commander';
import { isSlipwayError, SlipwayError } from '../../../base/errors.ts';
import { AllTrash, oldestOfEach, type TrashedFile, type TrashFilter } from '../../../sync/all-trash.ts';
import { formatTable, printableLine } from '../output.ts';
import { parseMoment } from '../parse-moment.ts';
import { exitCodes, type Act } from '../run-cli.ts';

interface Flags {
  readonly path?: string;
  readonly pair?: string;
  readonly since?: string;
  readonly to?: string;
}

export function addTrashCommand(program: Command, act: Act): void {
  const trash = program
    .command('trash')
    .description('old versions of files that syncs replaced or deleted on this machine');
  const filtered = (command: Command): Command =>
    command
      .option('--path <path>', 'of this file, of what is below this folder, or a pattern like "src/**"')
      .option('--pair <pair>', 'of one pair, by its folder or the beginning of its id')
      .option('--since <moment>', 'from then on: 10m, 2h, 3d, 14:30, or a date');
  act<Flags>(
    filtered(trash.command('list').description('what is there, the oldest first')),
    async (invocation, _, flags) => {
      const { services, environment } = invocation;
      const versions = await new AllTrash(services.home, services.clock).list(
        filterOf(flags, environment.workingFolder, services.clock.now()),
      );
      if (invocation.json) for (const version of versions) invocation.printJson(valueOf(version));
      else if (versions.length === 0) invocation.print('Nothing in the trash.');
      else invocation.print(tableOf(versions));
      return undefined;
    },
  );
  act<Flags>(
    filtered(
      trash
        .command('restore [ids...]')
        .description('put versions back in their places; what is there now goes to the trash'),
    ).option('--to <folder>', 'put them below this folder instead'),
    async (invocation, ids, flags) => {
      const { services, environment } = invocation;
      const all = new AllTrash(services.home, services.clock);
      const filter = filterOf(flags, environment.workingFolder, services.clock.now());
      if (ids.length === 0 && filter.since === undefined) throw nothingNamed();
      if (ids.length > 0 && filter.since !== undefined) throw bothNamed();
      const wanted = ids.length > 0 ? ids : oldestOfEach(await all.list(filter)).map((version) => version.id);
      const to = flags.to === undefined ? undefined : resolve(environment.workingFolder, flags.to);
      if (to !== undefined) await mkdir(to, { recursive: true });
      let failed = 0;
      for (const id of wanted) {
        try {
          const path = await all.restore(id, to);
          if (invocation.json) invocation.printJson({ event: 'restored', id, path });
          else invocation.print(`Restored ${printableLine(path)}`);
        } catch (error) {
          if (!isSlipwayError(error)) throw error;
          failed++;
          invocation.error(error.toValue());
        }
      }
      if (wanted.length === 0 && !invocation.json) invocation.print('Nothing to restore.');
      return failed === 0 ? exitCodes.ok : exitCodes.failed;
    },
  );
}

function filterOf(flags: Flags, workingFolder: string, now: number): TrashFilter {
  const { pair, since, path } = flags;
  return {
    path,
    pair: pair === undefined || /^[0-9a-f]{4,32}$/.test(pair) ? pair : resolve(workingFolder, pair),
    since: since === undefined ? undefined : parseMoment(since, now),
  };
}

function valueOf(version: TrashedFile) {
  const { id, path, size, trashedAt, reason, origin, pair, pairId } = version;
  return {
    id,
    path,
    size,
    trashedAt: new Date(trashedAt).toISOString(),
    reason,
    /** Whose version it is: this machine's, or the container's. */
    origin: origin === 'local' ? 'laptop' : 'container',
    pair: { id: pairId, ...pair },
  };
}

function tableOf(versions: readonly TrashedFile[]): string {
  const rows = versions.map(({ id, path, size, trashedAt, reason, origin, pair, pairId }) => [
    id,
    new Date(trashedAt).toLocaleString('sv'),
    reason + (origin === 'remote' ? ', of the container' : ''),
    String(size),
    path,
    pair?.localPath ?? pairId.slice(0, 8),
  ]);
  return formatTable(['ID', 'WHEN', 'WHY', 'BYTES', 'PATH', 'PAIR'], rows);
}

function nothingNamed(): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: 'Nothing to restore was named.',
    cause: 'Neither ids nor --since were given.',
    next: 'Take ids from "slipway trash list", or undo everything since a moment: --since 10m.',
  });
}

function bothNamed(): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: 'Ids and --since do not go together.',
    cause: 'An id names one version, --since the state of a moment.',
    next: 'Leave one of them out.',
  });
}
