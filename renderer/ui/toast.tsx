import { Toast as Base } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Tone } from './badge.tsx';
import { StatusDot } from './status-dot.tsx';
import styles from './toast.module.css';
import { Text } from './text.tsx';

interface ToastOptions {
  readonly title: string;
  readonly text?: string | undefined;
  readonly tone?: Tone | undefined;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

/** Toasts in sight at once; the others wait. */
const mostToasts = 3;
const shownFor = 8000;

/** Says that something finished elsewhere: never the answer to what was just pressed. */
export function useToast(): (options: ToastOptions) => void {
  const { add } = Base.useToastManager();
  return ({ title, text, tone = 'neutral', action }) => {
    add({
      title,
      description: text,
      type: tone,
      priority: tone === 'error' ? 'high' : 'low',
      ...(action === undefined ? {} : { actionProps: { children: action.label, onClick: action.run } }),
    });
  };
}

/** Holds the toasts of everything within it. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Base.Provider limit={mostToasts} timeout={shownFor}>
      {children}
      <Base.Portal>
        <Base.Viewport className={styles['viewport']}>
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Toasts() {
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root key={toast.id} toast={toast} className={styles['toast']}>
      <StatusDot tone={toneOf(toast.type)} label="" />
      <Base.Content className={styles['content']}>
        <Base.Title className={styles['title']}>
          <Text value={typeof toast.title === 'string' ? toast.title : ''} />
        </Base.Title>
        {typeof toast.description === 'string' ? (
          <Base.Description className={styles['text']}>
            <Text value={toast.description} />
          </Base.Description>
        ) : null}
        <Base.Action className={styles['action']} />
      </Base.Content>
      <Base.Close className={styles['close']} aria-label="Close">
        <X aria-hidden />
      </Base.Close>
    </Base.Root>
  ));
}

function toneOf(type: string | undefined): Tone {
  return type === 'ok' || type === 'warn' || type === 'error' || type === 'info' ? type : 'neutral';
}
