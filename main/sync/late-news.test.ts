import { describe, expect, it } from 'vitest';
import { entryOf, fileOf } from './entry.fixture.ts';
import type { Entry } from './entry.ts';
import { LateNews } from './late-news.ts';

const folder = entryOf('d');
const content = fileOf('content');

describe('what is reported of a path while it is being changed', () => {
  const differs = (told: Entry | undefined, known: Entry | undefined): boolean => {
    const news = new LateNews();
    news.add('a', new Map([['a', told]]));
    const result = news.takeDiffering('a', known);
    expect(news.size).toBe(0);
    return result;
  };

  it('is no news when it is what the step left there', () => {
    expect(differs(content, { ...content })).toBe(false);
    const sent = { ...content, ctimeNs: 5n } as Entry;
    expect(differs({ ...sent, digest: undefined } as Entry, sent)).toBe(false);
    expect(differs(folder, folder)).toBe(false);
    expect(differs(undefined, undefined)).toBe(false);
  });

  it('is news when anything of it differs', () => {
    expect(differs({ ...content, digest: 'f'.repeat(64) } as Entry, content)).toBe(true);
    for (const changed of [{ mtimeNs: 7n }, { ctimeNs: 7n }, { inode: 7n }, { size: 8 }, { mode: 0o600 }])
      expect(differs({ ...content, ...changed }, content)).toBe(true);
    expect(differs(undefined, content)).toBe(true);
    expect(differs(content, undefined)).toBe(true);
    expect(differs(folder, content)).toBe(true);
  });

  it('is news when a write of the same length could hide in the times, and no digest tells', () => {
    expect(differs({ ...content, digest: undefined } as Entry, content)).toBe(true);
    expect(differs(content, { ...content, digest: undefined } as Entry)).toBe(true);
  });

  it('counts as news when only a path was named, and the last report counts', () => {
    const news = new LateNews();
    news.add('a', undefined);
    expect(news.takeDiffering('a', content)).toBe(true);
    news.add('a', new Map([['a', undefined]]));
    news.add('a', new Map([['a', content]]));
    expect(news.takeDiffering('a', content)).toBe(false);
    news.add('a', new Map([['a', content]]));
    news.add('a', new Map([['a', undefined]]));
    expect(news.takeDiffering('a', content)).toBe(true);
    expect(news.takeDiffering('a', content)).toBe(false);
  });
});
