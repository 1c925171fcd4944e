import './theme/theme.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { loadLaterParts } from './app/later-parts.ts';
import { preparePage } from './app/pages.tsx';
import { isDetached, parseRoute } from './app/route-hash.ts';
import { ClientProvider } from './ipc/client.ts';
import { startClient } from './ipc/start.ts';
import { fontReady } from './theme/font-ready.ts';

const root = document.getElementById('root');
if (root !== null) {
  const { client, connection } = startClient();
  // While the font and the connection are on their way.
  const route = parseRoute(location.hash);
  if (!isDetached(route)) preparePage(route);
  void fontReady().then(() => {
    createRoot(root).render(
      <ClientProvider client={client} connection={connection}>
        <App />
      </ClientProvider>,
    );
    void loadLaterParts(connection);
  });
}
