import { createContext } from 'react';
import type { Connection } from './connection.ts';
import type { Client } from './remote-client.ts';

/** What the hooks find main through. */
export interface ClientContextValue {
  readonly client: Client;
  /** Absent where nothing can be lost: tests and galleries with a client of their own. */
  readonly connection?: Connection | undefined;
}

export const ClientContext = createContext<ClientContextValue | undefined>(undefined);
