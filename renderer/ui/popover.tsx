import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';
import styles from './popup.module.css';

interface PopoverProps {
  /** The button that opens it. */
  readonly trigger: ReactElement;
  readonly label: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
}

/** Content beside the button that opened it, which does not stop the page. */
export function Popover({ trigger, label, open, onOpenChange, children }: PopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          className={styles['positioner']}
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={8}
        >
          <Base.Popup className={styles['popover']} aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
