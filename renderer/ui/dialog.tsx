import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef, type ReactNode, type RefObject } from 'react';
import { classNames } from './class-names.ts';
import styles from './dialog.module.css';
import { IconButton } from './icon-button.tsx';
import { useScrollStop } from './use-scroll-stop.ts';
import { visibleLine } from './visible-text.ts';

interface DialogProps {
  readonly open: boolean;
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
  readonly wide?: boolean | undefined;
  /** It wants an answer: neither Escape nor a click beside it closes it, and it has no cross. */
  readonly insistent?: boolean | undefined;
  /** What gets the focus; the first field otherwise, or the dialog itself when it has none. */
  readonly initialFocus?: RefObject<HTMLElement | null> | undefined;
}

const fields = 'input:not([disabled]), textarea:not([disabled]), select, [role="combobox"]';

/** A modal dialog: the focus stays within it and goes back to where it was. */
export function Dialog({
  open,
  title,
  onClose,
  children,
  actions,
  wide = false,
  insistent = false,
  initialFocus,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const firstField = () => popup.current?.querySelector<HTMLElement>(fields) ?? popup.current;
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={insistent}
      onOpenChange={(next) => {
        if (!next && !insistent) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Viewport className={styles['viewport']}>
          <Base.Popup
            className={classNames(styles['popup'], wide && styles['wide'])}
            ref={popup}
            initialFocus={initialFocus ?? firstField}
          >
            <div className={styles['head']}>
              <Base.Title className={styles['title']}>
                {typeof title === 'string' ? visibleLine(title) : title}
              </Base.Title>
              {insistent ? null : <IconButton small label="Close" icon={<X />} onClick={onClose} />}
            </div>
            {children === undefined ? null : <Body>{children}</Body>}
            {actions === undefined ? null : <div className={styles['actions']}>{actions}</div>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

function Body({ children }: { readonly children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  const tabIndex = useScrollStop(body);
  return (
    <div ref={body} className={styles['body']} tabIndex={tabIndex}>
      {children}
    </div>
  );
}
