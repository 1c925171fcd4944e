import { Search } from 'lucide-react';
import type { Cluster } from '../../../contract/clusters.ts';
import type { Terminal } from '../../../contract/terminals.ts';
import type { Tone } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import styles from './terminal-view.module.css';

const tones: Readonly<Record<Terminal['state'], Tone>> = {
  opening: 'info',
  open: 'ok',
  ended: 'neutral',
  lost: 'error',
};
const words: Readonly<Record<Terminal['state'], string>> = {
  opening: 'Opening',
  open: 'Open',
  ended: 'Ended',
  lost: 'Lost',
};

/** Where a shell is, and how well that place is protected: in the cluster's colour and in words. */
export function TerminalHeader({
  terminal,
  cluster,
  onFind,
}: {
  readonly terminal: Terminal;
  readonly cluster: Cluster | undefined;
  readonly onFind: () => void;
}) {
  const { state, pod, container, namespace } = terminal;
  return (
    <div className={styles['header']}>
      <StatusDot tone={tones[state]} label={words[state]} />
      <span className={styles['place']}>
        <strong>
          <Text value={pod} most={80} />
        </strong>
        {container === undefined ? null : (
          <span>
            {' '}
            · <Text value={container} most={60} />
          </span>
        )}
        <span className={styles['where']}>
          {' '}
          in <Text value={`${cluster?.context ?? terminal.cluster} / ${namespace}`} most={120} />
        </span>
      </span>
      {cluster === undefined || cluster.guard === 'none' ? null : (
        <span className={styles['guard']}>{cluster.guard}</span>
      )}
      <span className={styles['gap']} />
      <IconButton small label="Find in Terminal" icon={<Search />} onClick={onFind} />
    </div>
  );
}
