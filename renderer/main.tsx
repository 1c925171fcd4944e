import './theme/theme.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { ClientProvider } from './ipc/client.ts';
import { startClient } from './ipc/start.ts';

const root = document.getElementById('root');
if (root !== null) {
  const { client, connection } = startClient();
  createRoot(root).render(
    <ClientProvider client={client} connection={connection}>
      <App />
    </ClientProvider>,
  );
}
