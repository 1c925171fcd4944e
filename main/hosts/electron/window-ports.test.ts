import { expect, test } from 'vitest';
import type { WindowChannel } from '../../ipc/electron-ipc.ts';
import { isOwnSender } from './sender.ts';
import { FakeContents } from './testing/fake-contents.ts';
import { serveWindow } from './window-ports.ts';

interface Opened {
  readonly page: WindowChannel;
  readonly frames: unknown[];
  closed: boolean;
}

function serve(): { contents: FakeContents; opened: Opened[]; refused: string[] } {
  const contents = new FakeContents();
  const opened: Opened[] = [];
  const refused: string[] = [];
  serveWindow({
    contents: contents.contents,
    accept(page) {
      const entry: Opened = { page, frames: [], closed: false };
      page.onMessage((frame) => entry.frames.push(frame));
      page.onClose(() => (entry.closed = true));
      opened.push(entry);
    },
    refused: (address) => refused.push(address),
  });
  return { contents, opened, refused };
}

test('a page talks over one connection, both ways and in order', () => {
  const { contents, opened } = serve();
  contents.receive({ frame: 1 });
  contents.receive({ frame: 2 });
  opened[0]?.page.send({ t: 'end', id: 1 });
  expect(opened.map(({ frames }) => frames)).toEqual([[1, 2]]);
  expect(contents.sent).toEqual([{ t: 'end', id: 1 }]);
});

test.each([
  ['another window', { sender: { id: 8 } }],
  ['a frame within the page', { senderFrame: { url: 'app://bundle/', parent: {} } }],
  ['another page', { senderFrame: { url: 'https://example.com/', parent: null } }],
  ['another host of the scheme', { senderFrame: { url: 'app://bundle.example/', parent: null } }],
  ['a frame that is gone', { senderFrame: null }],
])('a message of %s is refused', (_who, from) => {
  const { contents, opened, refused } = serve();
  contents.receive({ frame: 1 }, from);
  contents.receive({ reset: true }, from);
  expect(opened).toEqual([]);
  expect(refused).toHaveLength(2);
  expect(isOwnSender({ sender: { id: 7 }, senderFrame: { url: 'app://bundle/#/x', parent: null } }, 7)).toBe(
    true,
  );
});

test.each([undefined, null, 'text', 1, [], {}])('%s as a message opens nothing', (message) => {
  const { contents, opened } = serve();
  contents.receive(message);
  expect(opened).toEqual([]);
});

test.each([
  ['a reload', (contents: FakeContents) => contents.emit('did-start-navigation', { isMainFrame: true })],
  ['a reset', (contents: FakeContents) => contents.receive({ reset: true })],
  ['a crash', (contents: FakeContents) => contents.emit('render-process-gone')],
  ['a closed window', (contents: FakeContents) => contents.emit('destroyed')],
])('%s closes the connection, and the next page gets its own', (_how, happen) => {
  const { contents, opened } = serve();
  contents.receive({ frame: 'old' });
  happen(contents);
  expect(opened[0]?.closed).toBe(true);
  opened[0]?.page.send({ t: 'end', id: 1 });
  expect(contents.sent).toEqual([]);
  contents.receive({ frame: 'new' });
  expect(opened.map(({ frames }) => frames)).toEqual([['old'], ['new']]);
});

test('a change of the fragment or of a frame within is no reload', () => {
  const { contents, opened } = serve();
  contents.receive({ frame: 1 });
  contents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: true });
  contents.emit('did-start-navigation', { isMainFrame: false });
  expect(opened[0]?.closed).toBe(false);
});

test('nothing is sent to a window that is gone', () => {
  const { contents, opened } = serve();
  contents.receive({ frame: 1 });
  contents.destroyed = true;
  opened[0]?.page.send({ t: 'end', id: 1 });
  expect(contents.sent).toEqual([]);
});
