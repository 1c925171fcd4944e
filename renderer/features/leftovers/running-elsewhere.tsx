import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { whose, type LeftoverRow } from './leftover-model.ts';
import styles from './leftovers.module.css';

/** Sessions that another process runs: shown, so that nobody wonders about their pods, and never acted on. */
export function RunningElsewhere({ rows }: { readonly rows: readonly LeftoverRow[] }) {
  return (
    <section className={styles['rest']} aria-labelledby="running-elsewhere">
      <h2 id="running-elsewhere">Running Elsewhere</h2>
      <p>
        Somebody works in these, or their Slipway has ended less than a minute ago: then they are left over
        when that minute is up. Nothing here touches them.
      </p>
      <ul className={styles['running']}>
        {rows.map((row) => (
          <li key={row.key}>
            <StatusDot tone="ok" label="Running" />
            <Text value={`${row.namespace} / ${row.target}`} />
            <span className={styles['muted']}>
              <Text value={`${whose(row)} on ${row.machine}`} />
            </span>
            <span className={styles['muted']}>
              {row.since === '' ? null : (
                <>
                  since <Time iso={row.since} style="clock" />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
