import { useId, type ReactNode } from 'react';
import styles from './card.module.css';

interface CardProps {
  readonly title: ReactNode;
  /** At the end of the title's line. */
  readonly aside?: ReactNode;
  /** The content reaches to the edges: rows and tables. */
  readonly flush?: boolean | undefined;
  readonly children?: ReactNode;
}

/** A part of a page with a title of its own. */
export function Card({ title, aside, flush = false, children }: CardProps) {
  const id = useId();
  return (
    <section className={styles['card']} aria-labelledby={id}>
      <div className={styles['head']}>
        <h2 id={id} className={styles['title']}>
          {title}
        </h2>
        {aside === undefined ? null : <div className={styles['aside']}>{aside}</div>}
      </div>
      {children === undefined ? null : (
        <div className={flush ? styles['flush'] : styles['body']}>{children}</div>
      )}
    </section>
  );
}
