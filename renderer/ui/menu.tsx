import { Menu as Base } from '@base-ui/react/menu';
import { ChevronDown } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import button from './button.module.css';
import { classNames } from './class-names.ts';
import { Kbd } from './kbd.tsx';
import styles from './popup.module.css';

interface MenuProps {
  readonly label: string;
  readonly items: readonly {
    readonly label: string;
    readonly onSelect: () => void;
    readonly danger?: boolean | undefined;
    readonly disabledReason?: string | undefined;
    readonly icon?: ReactNode;
    readonly chord?: string | undefined;
  }[];
  /** Shows this icon alone; `label` stays its name. */
  readonly icon?: ReactNode;
  readonly small?: boolean | undefined;
  /** An element of one's own that opens it. */
  readonly trigger?: ReactElement | undefined;
}

/** A button that opens a list of actions. What cannot be done now stays in it, with the reason. */
export function Menu({ label, items, icon, small = false, trigger }: MenuProps) {
  return (
    <Base.Root>
      {trigger === undefined ? (
        <Base.Trigger
          className={classNames(
            button['button'],
            icon === undefined ? button['default'] : button['quiet'],
            icon !== undefined && button['icon'],
            small && button['small'],
          )}
          {...(icon === undefined ? {} : { 'aria-label': label, title: label })}
        >
          {icon ?? (
            <>
              <span>{label}</span>
              <ChevronDown aria-hidden />
            </>
          )}
        </Base.Trigger>
      ) : (
        <Base.Trigger render={trigger} />
      )}
      <Base.Portal>
        <Base.Positioner className={styles['positioner']} sideOffset={4} align="end" collisionPadding={8}>
          <Base.Popup className={styles['popup']}>
            {items.map((item) => (
              <Base.Item
                key={item.label}
                className={classNames(styles['item'], item.danger === true && styles['danger'])}
                disabled={item.disabledReason !== undefined}
                onClick={item.onSelect}
              >
                {item.icon}
                <span className={styles['text']}>
                  {item.label}
                  {item.disabledReason === undefined ? null : (
                    <span className={styles['reason']}>{item.disabledReason}</span>
                  )}
                </span>
                {item.chord === undefined ? null : <Kbd chord={item.chord} />}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
