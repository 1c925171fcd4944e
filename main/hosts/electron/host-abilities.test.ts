import type { BrowserWindow } from 'electron';
import { expect, test } from 'vitest';
import { hostAbilities } from './host-abilities.ts';

function abilities(answer: { canceled: boolean; filePaths: string[] }, parent: BrowserWindow | null = null) {
  const opened: string[] = [];
  const asked: number[] = [];
  const showOpenDialog = (...args: unknown[]) => {
    asked.push(args.length);
    return Promise.resolve(answer);
  };
  return {
    opened,
    asked,
    ...hostAbilities({
      dialog: { showOpenDialog },
      shell: {
        openExternal: async (url) => {
          opened.push(url);
        },
      },
      window: () => parent,
    }),
  };
}
const { signal } = new AbortController();

test('a folder is chosen in a dialog of the window, or of none', async () => {
  const chosen = abilities({ canceled: false, filePaths: ['/home/user/shop'] });
  expect(await chosen.chooseFolder(signal)).toBe('/home/user/shop');
  const cancelled = abilities({ canceled: true, filePaths: [] }, {} as BrowserWindow);
  expect(await cancelled.chooseFolder(signal)).toBeUndefined();
  expect([chosen.asked, cancelled.asked]).toEqual([[1], [2]]);
});

test('the browser gets addresses of the web and of this machine alone', async () => {
  const { openExternal, opened } = abilities({ canceled: true, filePaths: [] });
  await openExternal('https://example.com');
  await openExternal('http://localhost:8080/');
  await expect(openExternal('file:///etc/passwd')).rejects.toMatchObject({ code: 'usage.invalid' });
  await expect(openExternal('http://example.com')).rejects.toMatchObject({ code: 'usage.invalid' });
  expect(opened).toEqual(['https://example.com/', 'http://localhost:8080/']);
});
