import { useState } from 'react';
import { ToastProvider } from '../ui/toast.tsx';
import { ActionRegistry } from './action-registry.ts';
import { ActionsContext } from './actions.ts';
import { Frame } from './frame.tsx';
import { createViewStore, ViewContext } from './view-state.ts';

/** The whole window. Whoever renders it gives it a client. */
export function App() {
  const [view] = useState(() => createViewStore(localStorage));
  const [registry] = useState(() => new ActionRegistry());
  return (
    <ViewContext value={view}>
      <ActionsContext value={registry}>
        <ToastProvider>
          <Frame />
        </ToastProvider>
      </ActionsContext>
    </ViewContext>
  );
}
