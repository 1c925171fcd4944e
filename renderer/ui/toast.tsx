import { createContext, lazy, Suspense, useCallback, useContext, useState, type ReactNode } from 'react';
import type { Tone } from './badge.tsx';

/** Something that finished elsewhere. */
interface ToastOptions {
  readonly title: string;
  readonly text?: string | undefined;
  readonly tone?: Tone | undefined;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

export interface QueuedToast extends ToastOptions {
  readonly id: number;
}

/** Toasts that wait for their turn; older ones give way. */
const mostQueued = 20;

const ToastContext = createContext<(options: ToastOptions) => void>(() => undefined);
const Toasts = lazy(async () => ({ default: (await import('./toasts.tsx')).Toasts }));

/** Says that something finished elsewhere: never the answer to what was just pressed. */
export function useToast(): (options: ToastOptions) => void {
  return useContext(ToastContext);
}

/** Shows the toasts of everything within it. What draws them is loaded with the first one. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [{ toasts }, setState] = useState<{ readonly toasts: readonly QueuedToast[]; readonly next: number }>(
    {
      toasts: [],
      next: 1,
    },
  );
  const add = useCallback((options: ToastOptions) => {
    setState((state) => ({
      toasts: [...state.toasts, { ...options, id: state.next }].slice(-mostQueued),
      next: state.next + 1,
    }));
  }, []);
  const remove = useCallback((id: number) => {
    setState((state) => ({ ...state, toasts: state.toasts.filter((toast) => toast.id !== id) }));
  }, []);
  return (
    <ToastContext value={add}>
      {children}
      {toasts.length === 0 ? null : (
        <Suspense fallback={null}>
          <Toasts queued={toasts} onRemove={remove} />
        </Suspense>
      )}
    </ToastContext>
  );
}
