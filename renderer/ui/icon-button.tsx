import type { ReactNode } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

interface IconButtonProps {
  /** Its name for everybody: tooltip and screen reader. */
  readonly label: string;
  readonly icon: ReactNode;
  readonly onClick?: (() => void) | undefined;
  readonly disabled?: boolean | undefined;
  readonly disabledReason?: string | undefined;
  readonly small?: boolean | undefined;
  readonly pressed?: boolean | undefined;
  readonly expanded?: boolean | undefined;
}

/** A button that shows an icon alone, where its place explains it; its name is a tooltip. */
export function IconButton({
  label,
  icon,
  onClick,
  disabled = false,
  disabledReason,
  small = false,
  pressed,
  expanded,
}: IconButtonProps) {
  const off = disabledReason !== undefined;
  return (
    <Tooltip text={off ? `${label}: ${disabledReason}` : label} names>
      <button
        type="button"
        className={classNames(styles['button'], styles['quiet'], styles['icon'], small && styles['small'])}
        aria-label={label}
        aria-pressed={pressed}
        aria-expanded={expanded}
        aria-disabled={off || undefined}
        disabled={disabled && !off}
        onClick={() => {
          if (!off) onClick?.();
        }}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
