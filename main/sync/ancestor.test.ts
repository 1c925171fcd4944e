import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskAncestorFiles, type AncestorFiles } from './ancestor-files.ts';
import { openAncestor } from './ancestor.ts';
import { entryOf, fileOf } from './entry.fixture.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-ancestor-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openAncestor(diskAncestorFiles, folder);

describe('an ancestor on disk', () => {
  it('comes back as it was saved, snapshot and journal', async () => {
    const store = await open();
    store.agree('a', fileOf('1'), fileOf('1', 0o600));
    store.agree('d', entryOf('d'), entryOf('d'));
    store.agree('link', entryOf('s'), entryOf('s'));
    store.replaceSeed([['image', fileOf('old')]]);
    store.setFacts({
      initialDone: true,
      remoteRoot: { device: 1n, inode: 2n, container: 'c' },
      approved: ['x'],
    });
    await store.flush();
    store.agree('d', undefined, undefined);
    store.agree('é/日', fileOf('2'), fileOf('2'));
    store.differ('e', { local: undefined, remote: entryOf('d') });
    store.learnSeed('image', fileOf('old', 0o644, 5));
    await store.flush();

    const { state } = await open();
    expect([...state.agreed.entries()]).toEqual([
      ['a', fileOf('1')],
      ['link', entryOf('s')],
      ['é/日', fileOf('2')],
    ]);
    expect(state.agreedRemote.get('a')).toEqual(fileOf('1', 0o600));
    expect(state.differences.get('e')).toEqual({ local: undefined, remote: entryOf('d') });
    expect(state.seed.get('image')).toEqual(fileOf('old', 0o644, 5));
    expect(state.facts).toMatchObject({
      initialDone: true,
      approved: ['x'],
      remoteRoot: { inode: 2n, container: 'c' },
    });
  });

  it('is none when its snapshot was torn anywhere, and goes on from an older state when its journal was', async () => {
    const store = await open();
    store.agree('a', fileOf('1'), fileOf('1'));
    await store.flush();
    store.agree('b', fileOf('2'), fileOf('2'));
    await store.flush();
    const snapshot = readFileSync(join(folder, 'ancestor'));
    const journal = readFileSync(join(folder, 'journal'));
    for (let length = 0; length < snapshot.length; length += 7) {
      writeFileSync(join(folder, 'ancestor'), snapshot.subarray(0, length));
      // Nothing but the header is an empty ancestor, which is none as well.
      expect((await open()).state.agreed.size).toBe(0);
    }
    writeFileSync(join(folder, 'ancestor'), snapshot);
    for (let length = 0; length < journal.length; length += 3) {
      writeFileSync(join(folder, 'journal'), journal.subarray(0, length));
      const torn = await open();
      expect([...torn.state.agreed.paths()]).toEqual(['a']);
      torn.agree('c', fileOf('3'), fileOf('3'));
      await torn.flush();
      expect([...(await open()).state.agreed.paths()]).toEqual(['a', 'c']);
      writeFileSync(join(folder, 'ancestor'), snapshot);
    }
  });

  it('is none when a newer version wrote it, or a bit of it changed', async () => {
    const store = await open();
    store.agree('a', fileOf('1'), fileOf('1'));
    await store.flush();
    const snapshot = readFileSync(join(folder, 'ancestor'));
    for (const offset of [0, 7, 25, snapshot.length - 1]) {
      const damaged = Buffer.from(snapshot);
      damaged[offset] = (damaged[offset] ?? 0) ^ 0x40;
      writeFileSync(join(folder, 'ancestor'), damaged);
      expect((await open()).state.agreed.size).toBe(0);
    }
  });

  it('does not take the journal of another snapshot for its own', async () => {
    const store = await open();
    store.agree('a', fileOf('1'), fileOf('1'));
    await store.flush();
    store.agree('b', fileOf('2'), fileOf('2'));
    await store.flush();
    const journal = readFileSync(join(folder, 'journal'));
    store.agree('b', undefined, undefined);
    await store.compact();
    writeFileSync(join(folder, 'journal'), journal);
    expect([...(await open()).state.agreed.paths()]).toEqual(['a']);
  });

  it('keeps each change small: a hundred edits of one file do not rewrite ten thousand', async () => {
    const store = await open();
    for (let index = 0; index < 10_000; index++) store.agree(`f${index}`, fileOf('1'), fileOf('1'));
    await store.flush();
    const snapshot = readFileSync(join(folder, 'ancestor')).length;
    for (let index = 0; index < 100; index++) {
      store.agree('f1', fileOf(String(index)), fileOf(String(index)));
      await store.flush();
    }
    expect(readFileSync(join(folder, 'journal')).length).toBeLessThan(snapshot / 20);
    expect((await open()).state.agreed.get('f1')).toEqual(fileOf('99'));
  });

  it('holds everything again after the disk was full, whatever was written until then', async () => {
    let full = false;
    const files: AncestorFiles = {
      ...diskAncestorFiles,
      append: async (path, content) => {
        await diskAncestorFiles.append(path, full ? content.subarray(0, content.length / 2) : content);
        if (full) throw new Error('ENOSPC');
      },
    };
    const store = await openAncestor(files, folder);
    for (const [path, broken] of [
      ['a', false],
      ['b', false],
      ['c', true],
      ['d', false],
      ['e', false],
    ] as const) {
      full = broken;
      store.agree(path, fileOf(path), fileOf(path));
      if (broken) await expect(store.flush()).rejects.toThrow('ENOSPC');
      else await store.flush();
    }
    expect([...(await open()).state.agreed.paths()]).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
