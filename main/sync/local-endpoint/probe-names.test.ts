import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { probeNames } from './probe-names.ts';

/** A file system that compares names by a key. */
function probe(names: readonly string[], keyOf: (name: string) => string) {
  const files = new Map(
    ['/p/Folder', ...names.map((name) => `/p/Folder/${name}`)].map((path) => [keyOf(path), path]),
  );
  return { namesIn: () => names, identity: (path: string) => files.get(keyOf(path)) };
}

const lower = (name: string): string => name.toLowerCase();
const composed = (name: string): string => name.normalize('NFC').toLowerCase();

describe('what a file system takes for one name', () => {
  it('is found out by another spelling of a name that is there', () => {
    expect(probeNames('/p/Folder', 'linux', probe(['1', 'a'], lower)).caseInsensitive).toBe(true);
    expect(
      probeNames(
        '/p/Folder',
        'darwin',
        probe(['1', 'a'], (name) => name),
      ).caseInsensitive,
    ).toBe(false);
    expect(probeNames('/p/Folder', 'linux', probe(['\u00e9'], composed)).normalising).toBe(true);
  });

  it('is found out by the folder itself where it is empty', () => {
    expect(probeNames('/p/Folder', 'linux', probe([], lower)).caseInsensitive).toBe(true);
  });

  it('is what the platform usually does where no name tells', () => {
    expect(probeNames('/p/1', 'darwin', probe(['2'], lower))).toEqual({
      windows: false,
      caseInsensitive: true,
      normalising: true,
    });
  });

  it.runIf(process.platform === 'linux')('is nothing on an ordinary disk of Linux', () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-names-'));
    try {
      for (const name of ['readme', '\u00e9']) writeFileSync(join(folder, name), '');
      const none = { windows: false, caseInsensitive: false, normalising: false };
      expect(probeNames(folder, 'linux')).toEqual(none);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
