import { ContextMenu as Base } from '@base-ui/react/context-menu';
import type { ReactElement, ReactNode } from 'react';
import { MenuItems, type MenuItem } from './menu-items.tsx';
import styles from './popup.module.css';

/** The actions of what is within `around`: on a right click, a long touch, or Shift+F10 while it has the focus. */
export function ContextMenu({
  items,
  around,
  children,
}: {
  readonly items: readonly MenuItem[];
  readonly around: ReactElement;
  readonly children: ReactNode;
}) {
  return (
    <Base.Root>
      <Base.Trigger render={around}>{children}</Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={styles['positioner']} collisionPadding={8}>
          <MenuItems items={items} />
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
