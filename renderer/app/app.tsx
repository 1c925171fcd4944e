import { ToastProvider } from '../ui/toast.tsx';
import { PageOf } from './pages.tsx';
import { useRoute } from './route.ts';

/** The window. */
export function App() {
  const route = useRoute();
  return (
    <ToastProvider>
      <main style={{ height: '100%' }}>
        <PageOf route={route} />
      </main>
    </ToastProvider>
  );
}
