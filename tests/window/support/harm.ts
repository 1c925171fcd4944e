import type { Page } from 'playwright-core';
import type { TestWindow } from './browser.ts';

/** Characters that turn text around, hide in it or move a cursor: none of them may be in anything that is shown. */
const unseen =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]';

/** Watches a window for whatever a text must not do: navigate, ask, open something, download. */
export function watchForHarm({ page, complaints }: TestWindow): {
  readonly found: () => Promise<readonly string[]>;
} {
  const harm: string[] = [];
  const { origin } = new URL(page.url());
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame() || new URL(frame.url()).origin !== origin)
      harm.push(`went to ${frame.url()}`);
  });
  page.on('dialog', (dialog) => {
    harm.push(`asked ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => harm.push(`opened ${popup.url()}`));
  page.on('download', (download) => harm.push(`downloaded ${download.url()}`));
  return {
    found: async () => [...harm, ...complaints, ...(await madeOfText(page))],
  };
}

/** Elements, code and unseen characters that came out of a text. */
function madeOfText(page: Page): Promise<readonly string[]> {
  return page.evaluate((pattern) => {
    const found: string[] = [];
    const matcher = new RegExp(pattern);
    for (const element of document.querySelectorAll('[data-hostile], [onerror], a[href^="javascript:"]'))
      found.push(`an element: ${element.outerHTML.slice(0, 200)}`);
    if ('hostile' in globalThis) found.push('code that ran');
    if (document.title.includes('hostile title')) found.push('a title');
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes)
        if (matcher.test(value))
          found.push(`in ${element.tagName} ${name}: ${JSON.stringify(value.slice(0, 200))}`);
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE && matcher.test(node.textContent ?? ''))
          found.push(`in ${element.tagName}: ${JSON.stringify((node.textContent ?? '').slice(0, 200))}`);
    }
    return found.slice(0, 10);
  }, unseen);
}
