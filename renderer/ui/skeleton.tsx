import { useEffect, useState } from 'react';
import styles from './notice.module.css';

/** How long something may take before it shows that it loads, in milliseconds. */
const patience = 150;
const widths = ['62%', '48%', '70%', '41%', '56%'];

/** The shape of what is coming, once it takes longer than a blink. It does not move. */
export function Skeleton({ label = 'Loading' }: { readonly label?: string | undefined }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), patience);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles['skeleton']} role="status" aria-label={label} data-shown={shown || undefined}>
      {shown
        ? widths.map((width) => <span key={width} className={styles['bone']} style={{ width }} />)
        : null}
    </div>
  );
}
