import { Lock, ShieldAlert } from 'lucide-react';
import type { Cluster } from '../../contract/clusters.ts';
import { visibleLine } from '../ui/visible-text.ts';
import styles from './guard-strip.module.css';

const words = {
  confirm: 'Confirm',
  'read-only': 'Read-only',
} as const;
const meanings = {
  confirm: 'changes ask for a typed name',
  'read-only': 'Slipway refuses every change',
} as const;

/** Says over the whole width that the cluster is guarded, and how; the frame's edge has the same colour. */
export function GuardStrip({ cluster }: { readonly cluster: Cluster | undefined }) {
  if (cluster === undefined || cluster.guard === 'none') return null;
  const Icon = cluster.guard === 'read-only' ? Lock : ShieldAlert;
  return (
    <div className={styles['strip']} data-guard={cluster.guard} role="note">
      <Icon aria-hidden />
      <strong>{words[cluster.guard]}</strong>
      <span className={styles['text']}>
        {visibleLine(cluster.context, 120)}: {meanings[cluster.guard]}
      </span>
    </div>
  );
}
