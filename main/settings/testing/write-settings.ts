/** Changes settings again and again, as another process: `write-settings.ts HOME NAME COUNT`. */
import { systemClock } from '../../base/clock.ts';
import { createProcessMarks } from '../../base/process-marks.ts';
import { diskStateFiles } from '../../base/state-files.ts';
import { openSettings } from '../settings-store.ts';

const [home = '', name = '', count = '0'] = process.argv.slice(2);
await using store = await openSettings({
  home,
  files: diskStateFiles,
  clock: systemClock,
  processes: createProcessMarks(),
  onDamage: (notice) => {
    throw new Error(notice.message);
  },
});
for (let round = 0; round < Number(count); round++) {
  await store.update({ clusters: { [`${name}-${round}`]: { guard: 'confirm' } } });
}
