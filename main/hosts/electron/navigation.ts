import type { WebContents } from 'electron';
import { isPageAddress } from './bundle-address.ts';

/** What a page tried, for the log. */
export type Refusal = (what: 'navigation' | 'window' | 'webview', address: string) => void;

/**
 * Keeps a window on its page: it goes nowhere else, frames nothing, opens nothing. Links to the outside are a
 * question to main (`app.openExternal`) and never a navigation.
 */
export function lockNavigation(
  contents: Pick<WebContents, 'on' | 'setWindowOpenHandler'>,
  refused: Refusal,
): void {
  contents.on('will-navigate', (event) => {
    if (isPageAddress(event.url)) return;
    event.preventDefault();
    refused('navigation', event.url);
  });
  contents.on('will-redirect', (event) => {
    event.preventDefault();
    refused('navigation', event.url);
  });
  contents.on('will-frame-navigate', (event) => {
    if (event.isMainFrame && isPageAddress(event.url)) return;
    event.preventDefault();
    refused('navigation', event.url);
  });
  contents.on('will-attach-webview', (event) => {
    event.preventDefault();
    refused('webview', '');
  });
  contents.setWindowOpenHandler(({ url }) => {
    refused('window', url);
    return { action: 'deny' };
  });
}
