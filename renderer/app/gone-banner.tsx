import { Unplug } from 'lucide-react';
import { Time } from '../ui/time.tsx';
import type { Gone } from './gone.ts';
import styles from './gone-banner.module.css';

/** Says that main is gone. What was there stays to be read; nothing can be done until main is back. */
export function GoneBanner({ gone }: { readonly gone: Gone }) {
  if (gone === undefined) return null;
  return (
    <div className={styles['banner']} role="alert">
      <Unplug aria-hidden />
      {gone.kind === 'lost' ? (
        <p>
          <strong>Slipway’s main process does not answer.</strong> What you see is from{' '}
          <Time iso={gone.since} style="clock" />; sessions may have stopped syncing. Connecting again … If
          Slipway has ended, start it anew: what its sessions left is under Leftovers.
        </p>
      ) : (
        <p>
          <strong>Slipway does not know this window.</strong> It was started anew, or the address lacks its
          token. Open the address that <code>slipway serve</code> printed.
        </p>
      )}
    </div>
  );
}
