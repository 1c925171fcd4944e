import { Tooltip as Base } from '@base-ui/react/tooltip';
import { useId, type ReactElement } from 'react';
import styles from './popup.module.css';
import { visibleLine } from './visible-text.ts';

interface TooltipProps {
  readonly text: string;
  /** The text is the child's own name already, and is not read a second time. */
  readonly names?: boolean | undefined;
  /** One element that takes a ref and can be focused. */
  readonly children: ReactElement;
}

/** A short text beside what the pointer or the focus is on; never the only place of something that matters. */
export function Tooltip({ text, names = false, children }: TooltipProps) {
  const id = useId();
  const shown = visibleLine(text);
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={400} {...(names ? {} : { 'aria-describedby': id })} />
      {names ? null : (
        <span id={id} hidden>
          {shown}
        </span>
      )}
      <Base.Portal>
        <Base.Positioner className={styles['positioner']} sideOffset={6} collisionPadding={8}>
          {/* Read as the name or the description of what it belongs to, not a second time here. */}
          <Base.Popup aria-hidden className={styles['tooltip']}>
            {shown}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
