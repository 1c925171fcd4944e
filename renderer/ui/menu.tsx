import { Menu as Base } from '@base-ui/react/menu';
import { ChevronDown } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import button from './button.module.css';
import { classNames } from './class-names.ts';
import { MenuItems, type MenuItem } from './menu-items.tsx';
import styles from './popup.module.css';

interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Shows this icon alone; `label` stays its name. */
  readonly icon?: ReactNode;
  readonly small?: boolean | undefined;
  /** An element of one's own that opens it. */
  readonly trigger?: ReactElement | undefined;
}

/** A button that opens a list of actions. */
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
          <MenuItems items={items} />
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
