import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';

/** What no `up` has used for this long is removed; a binary is 140 MB. */
const keptMilliseconds = 30 * 24 * 60 * 60 * 1000;

/** Notes the entries as used now and removes what has not been used for long. */
export function tendCache(folder: string, used: readonly string[], now: Date): void {
  for (const file of used) utimesSync(file, now, now);
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder)) {
    const file = path.join(folder, entry);
    const age = now.getTime() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now.getTime());
    if (age > keptMilliseconds) rmSync(file, { recursive: true, force: true });
  }
}
