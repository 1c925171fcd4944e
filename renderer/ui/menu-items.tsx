import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Kbd } from './kbd.tsx';
import styles from './popup.module.css';

/** One action of a menu. */
export interface MenuItem {
  readonly label: string;
  readonly onSelect: () => void;
  readonly danger?: boolean | undefined;
  readonly disabledReason?: string | undefined;
  readonly icon?: ReactNode;
  readonly chord?: string | undefined;
}

/** The actions of an open menu. What cannot be done now stays among them, with the reason. */
export function MenuItems({ items }: { readonly items: readonly MenuItem[] }) {
  return (
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
  );
}
