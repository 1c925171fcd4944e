import './theme/theme.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { loadLaterParts } from './app/later-parts.ts';
import { ClientProvider } from './ipc/client.ts';
import { startClient } from './ipc/start.ts';
import { fontReady } from './theme/font-ready.ts';

const root = document.getElementById('root');
if (root !== null) {
  const { client, connection } = startClient();
  void fontReady().then(() => {
    createRoot(root).render(
      <ClientProvider client={client} connection={connection}>
        <App />
      </ClientProvider>,
    );
    void loadLaterParts(connection);
  });
}
