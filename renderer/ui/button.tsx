import type { ReactNode, Ref } from 'react';
import { classNames } from './class-names.ts';
import styles from './button.module.css';
import { useBlocked } from './blocked.ts';
import { Tooltip } from './tooltip.tsx';

interface ButtonProps {
  readonly kind?: 'default' | 'primary' | 'danger' | 'quiet' | undefined;
  readonly icon?: ReactNode;
  readonly onClick?: (() => void) | undefined;
  readonly disabled?: boolean | undefined;
  /** Why it cannot be used now: it stays reachable, and says so. */
  readonly disabledReason?: string | undefined;
  readonly type?: 'button' | 'submit' | undefined;
  readonly small?: boolean | undefined;
  /** Something is under way: it keeps its width and takes no second click. */
  readonly pending?: boolean | undefined;
  /** Works without main, like Close. Quiet buttons always do. */
  readonly local?: boolean | undefined;
  readonly autoFocus?: boolean | undefined;
  readonly ref?: Ref<HTMLButtonElement> | undefined;
  readonly children: ReactNode;
}

/** A button with a text. While main is gone, all but quiet and local ones say so instead of acting. */
export function Button({
  kind = 'default',
  icon,
  onClick,
  disabled = false,
  disabledReason,
  type = 'button',
  small = false,
  pending = false,
  local = kind === 'quiet',
  autoFocus = false,
  ref,
  children,
}: ButtonProps) {
  const blocked = useBlocked();
  const reason = disabledReason ?? (local ? undefined : blocked);
  const off = reason !== undefined || pending;
  const button = (
    <button
      ref={ref}
      type={type}
      className={classNames(styles['button'], styles[kind], small && styles['small'])}
      disabled={disabled && reason === undefined}
      aria-disabled={off || undefined}
      aria-busy={pending || undefined}
      autoFocus={autoFocus}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.();
      }}
    >
      {icon}
      <span className={styles['label']}>{children}</span>
    </button>
  );
  return reason === undefined ? button : <Tooltip text={reason}>{button}</Tooltip>;
}
