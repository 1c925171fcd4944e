import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tendCache } from './cache.ts';

it('the cache loses what was not used for a month, and keeps what is used', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'slipway-cache-'));
  const now = new Date('2026-06-01T00:00:00Z');
  const old = new Date('2026-04-01T00:00:00Z');
  const used = path.join(folder, 'used');
  for (const name of ['used', 'forgotten']) {
    mkdirSync(path.join(folder, name));
    utimesSync(path.join(folder, name), old, old);
  }
  writeFileSync(path.join(folder, 'recent.tar'), '');
  utimesSync(path.join(folder, 'recent.tar'), now, now);
  tendCache(folder, [used], now);
  expect(readdirSync(folder).sort()).toEqual(['recent.tar', 'used']);
  tendCache(path.join(folder, 'absent'), [], now);
  rmSync(folder, { recursive: true });
});
