import { describe, expect, it } from 'vitest';
import { memoryStateFiles } from '../session/testing/memory-state-files.ts';
import { openKnownNamespaces } from './known-namespaces.ts';

describe('namespaces that were used', () => {
  it('are stored few times, however many are noted at once, and read again', async () => {
    const files = memoryStateFiles();
    let writes = 0;
    const counted = {
      ...files,
      read: (path: string) => files.read(path),
      write: (path: string, text: string) => {
        writes += 1;
        return files.write(path, text);
      },
    };
    const known = await openKnownNamespaces({ files: counted, path: '/known.json' });
    for (let index = 0; index < 1000; index += 1) known.note('c', `n${index % 7}`);
    await known.idle();
    expect(writes).toBeLessThan(3);
    const again = await openKnownNamespaces({ files, path: '/known.json' });
    expect(again.of('c')).toEqual(known.of('c'));
    expect(again.of('c')[0]).toBe('n5');
    expect(again.of('constructor')).toEqual([]);
  });
});
