import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import styles from './tabs.module.css';

interface TabsProps<Id extends string> {
  readonly label: string;
  readonly value: Id;
  readonly tabs: readonly {
    readonly id: Id;
    readonly label: string;
    /** A count or a word beside the label. */
    readonly badge?: ReactNode;
  }[];
  readonly onChange: (id: Id) => void;
  /** The content of the chosen tab, tied to it for screen readers; may also be shown elsewhere on the page. */
  readonly children?: ReactNode;
}

/** Parts of a page, one at a time. Arrow keys move, Enter or Space chooses: a page may be costly to show. */
export function Tabs<Id extends string>({ label, value, tabs, onChange, children }: TabsProps<Id>) {
  return (
    <Base.Root value={value} onValueChange={(next: Id) => onChange(next)} className={styles['root']}>
      <Base.List className={styles['list']} aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.id} value={tab.id} className={styles['tab']}>
            {tab.label}
            {tab.badge === undefined || tab.badge === '' || tab.badge === 0 ? null : (
              <span className={styles['badge']}>{tab.badge}</span>
            )}
          </Base.Tab>
        ))}
      </Base.List>
      {children === undefined ? null : (
        <Base.Panel value={value} className={styles['panel']}>
          {children}
        </Base.Panel>
      )}
    </Base.Root>
  );
}
