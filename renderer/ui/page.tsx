import { useRef, type ReactNode } from 'react';
import { useArrival } from './arrival.ts';
import styles from './page.module.css';
import { useScrollStop } from './use-scroll-stop.ts';

interface PageProps {
  readonly title: ReactNode;
  readonly subtitle?: ReactNode;
  /** The one sentence or badge on how it is, beside the title: however long it gets, it moves nothing else. */
  readonly state?: ReactNode;
  readonly actions?: ReactNode;
  readonly tabs?: ReactNode;
  /** The content fills the page and scrolls by itself, like a table or a terminal. */
  readonly fill?: boolean | undefined;
  readonly children?: ReactNode;
}

/** The head of a page and what is below it. The frame moves the focus to its heading when one arrives. */
export function Page({ title, subtitle, state, actions, tabs, fill = false, children }: PageProps) {
  const heading = useArrival();
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <div className={styles['line']}>
          <div className={styles['names']}>
            <div className={styles['titleLine']}>
              <h1 ref={heading} className={styles['title']} tabIndex={-1}>
                {title}
              </h1>
              {state === undefined ? null : <div className={styles['state']}>{state}</div>}
            </div>
            {subtitle === undefined ? null : <div className={styles['subtitle']}>{subtitle}</div>}
          </div>
          {actions === undefined ? null : <div className={styles['actions']}>{actions}</div>}
        </div>
        {tabs === undefined ? null : <div className={styles['tabs']}>{tabs}</div>}
      </header>
      {fill ? <div className={styles['fill']}>{children}</div> : <Body>{children}</Body>}
    </div>
  );
}

function Body({ children }: { readonly children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  const stop = useScrollStop(body);
  return (
    <div ref={body} className={styles['body']} tabIndex={stop === 0 ? 0 : undefined}>
      {children}
    </div>
  );
}
