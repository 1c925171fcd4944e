import { lazy, Suspense, useState } from 'react';
import { ToastProvider } from '../ui/toast.tsx';
import { ActionRegistry } from './action-registry.ts';
import { ActionsContext } from './actions.ts';
import { Frame } from './frame.tsx';
import { isDetached, useRoute } from './route.ts';
import { createViewStore, ViewContext } from './view-state.ts';

const DetachedFrame = lazy(async () => ({ default: (await import('./detached-frame.tsx')).DetachedFrame }));

/** The whole window. Whoever renders it gives it a client. */
export function App() {
  const [view] = useState(() => createViewStore(localStorage));
  const [registry] = useState(() => new ActionRegistry());
  return (
    <ViewContext value={view}>
      <ActionsContext value={registry}>
        <ToastProvider>
          <FrameOfRoute />
        </ToastProvider>
      </ActionsContext>
    </ViewContext>
  );
}

function FrameOfRoute() {
  const route = useRoute();
  if (!isDetached(route)) return <Frame route={route} />;
  return (
    <Suspense fallback={null}>
      <DetachedFrame route={route} />
    </Suspense>
  );
}
