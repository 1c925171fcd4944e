import { Toast as Base } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Tone } from './badge.tsx';
import { StatusDot } from './status-dot.tsx';
import { Text } from './text.tsx';
import type { QueuedToast } from './toast.tsx';
import styles from './toast.module.css';

interface ToastsProps {
  readonly queued: readonly QueuedToast[];
  /** It is gone from the screen. */
  readonly onRemove: (id: number) => void;
}

/** Toasts in sight at once; the others wait. */
const mostShown = 3;
/** Milliseconds. The pointer or the focus on them stops the clock. */
const shownFor = 8000;

/** Draws the toasts in the corner of the window. */
export function Toasts(props: ToastsProps) {
  return (
    <Base.Provider limit={mostShown} timeout={shownFor}>
      <Feed {...props} />
      <Base.Portal>
        <Base.Viewport className={styles['viewport']}>
          <ShownToasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Feed({ queued, onRemove }: ToastsProps) {
  const { add } = Base.useToastManager();
  const last = useRef(0);
  useEffect(() => {
    for (const { id, title, text, tone = 'neutral', action } of queued) {
      if (id <= last.current) continue;
      last.current = id;
      add({
        title,
        description: text,
        type: tone,
        priority: tone === 'error' ? 'high' : 'low',
        onRemove: () => onRemove(id),
        ...(action === undefined ? {} : { actionProps: { children: action.label, onClick: action.run } }),
      });
    }
  }, [queued, add, onRemove]);
  return null;
}

function ShownToasts() {
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root key={toast.id} toast={toast} className={styles['toast']}>
      <StatusDot tone={toneOf(toast.type)} label="" past />
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
