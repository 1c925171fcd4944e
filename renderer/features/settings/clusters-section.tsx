import { useState } from 'react';
import type { Cluster } from '../../../contract/clusters.ts';
import type { ClusterColor, Guard, Settings } from '../../../contract/settings.ts';
import { useRemote } from '../../ipc/client.ts';
import { navigate } from '../../app/route.ts';
import { ClusterChip } from '../../ui/cluster-chip.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ListingView } from '../../ui/listing-view.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Text } from '../../ui/text.tsx';
import { ColorPicker } from './color-picker.tsx';
import { SavedTextField } from './saved-text-field.tsx';
import { guardNames, guardSentences, initialsProblem } from './guard-text.ts';
import type { Saver } from './use-saver.ts';
import styles from './settings.module.css';

interface SectionProps {
  readonly settings: Settings;
  readonly saver: Saver;
}

/** Each context with its guard and its look; a guard is what main itself obeys. */
export function ClustersSection({ settings, saver }: SectionProps) {
  const { value, error } = useRemote('clusters.list', {});
  const [lowered, setLowered] = useState<{ readonly cluster: Cluster; readonly guard: Guard }>();
  const change = (cluster: Cluster, part: Record<string, unknown>, what: string) =>
    saver.save(`${cluster.context}, ${what}`, { clusters: { [cluster.id]: part } });
  return (
    <>
      <p className={styles['intro']}>
        A guard protects a cluster from changes that were not meant. It holds for everything that Slipway
        does: in the window, on the command line, and for whatever a session would change.
      </p>
      <dl className={styles['guards']}>
        {guardNames.map(({ value: guard, label }) => (
          <div key={guard} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>{guardSentences[guard]}</dd>
          </div>
        ))}
      </dl>
      <ListingView
        listing={value}
        error={error}
        empty={{
          title: 'No cluster was found',
          text: 'Clusters come from kubeconfig files: none of those that were looked at has a context.',
          action: (
            <Button onClick={() => navigate({ page: 'settings', section: 'kubeconfig' })}>
              Show Kubeconfig Files
            </Button>
          ),
        }}
      >
        {(clusters) => (
          <Card title={`${clusters.length} ${clusters.length === 1 ? 'cluster' : 'clusters'}`} flush>
            <ul className={styles['rows']}>
              {clusters.map((cluster) => (
                <ClusterRow
                  key={cluster.id}
                  cluster={cluster}
                  chosen={settings.clusters[cluster.id] ?? {}}
                  onGuard={(guard) => {
                    if (cluster.guard === 'read-only') setLowered({ cluster, guard });
                    else void change(cluster, { guard }, 'guard');
                  }}
                  onColor={(color) => change(cluster, { color }, 'colour')}
                  onInitials={(initials) =>
                    change(cluster, { initials: initials === '' ? null : initials }, 'initials')
                  }
                  onReset={() => change(cluster, { color: null, initials: null }, 'look')}
                />
              ))}
            </ul>
          </Card>
        )}
      </ListingView>
      {lowered === undefined ? null : (
        <ConfirmDialog
          open
          title="Allow changes?"
          action="Allow Changes"
          danger
          type={lowered.cluster.context}
          pending={saver.pending}
          error={saver.failed?.error}
          onClose={() => setLowered(undefined)}
          onConfirm={() => {
            void change(lowered.cluster, { guard: lowered.guard }, 'guard').then((stored) => {
              if (stored) setLowered(undefined);
            });
          }}
        >
          <p>
            <Text value={lowered.cluster.context} /> is read-only now. {guardSentences[lowered.guard]}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function ClusterRow({
  cluster,
  chosen,
  onGuard,
  onColor,
  onInitials,
  onReset,
}: {
  readonly cluster: Cluster;
  readonly chosen: Settings['clusters'][string];
  readonly onGuard: (guard: Guard) => void;
  readonly onColor: (color: ClusterColor) => Promise<boolean>;
  readonly onInitials: (initials: string) => Promise<boolean>;
  readonly onReset: () => Promise<boolean>;
}) {
  const { suggestedGuard } = cluster;
  const own = chosen.color !== undefined || chosen.initials !== undefined;
  return (
    <li className={styles['cluster']}>
      <ClusterChip cluster={cluster} className={styles['chip']} />
      <div className={styles['names']}>
        <div className={styles['name']}>
          <Text value={cluster.context} />
        </div>
        <div className={styles['muted']}>
          <Text value={cluster.server} />
        </div>
        <div className={styles['faint']}>
          <Text value={cluster.file} />
        </div>
      </div>
      <span className={styles['faint']}>{cluster.current ? 'current context' : ''}</span>
      <div className={styles['controls']}>
        <SegmentedControl label="Guard" value={cluster.guard} options={guardNames} onChange={onGuard} />
        <ColorPicker value={cluster.color} onChange={(color) => void onColor(color)} />
        <div className={styles['initials']}>
          <SavedTextField
            label="Initials"
            value={cluster.initials}
            maxLength={3}
            problem={initialsProblem}
            onSave={onInitials}
          />
        </div>
        {own ? (
          <Button small kind="quiet" local={false} onClick={() => void onReset()}>
            Reset Look
          </Button>
        ) : null}
      </div>
      {suggestedGuard === undefined || chosen.guard !== undefined ? null : (
        <div className={styles['suggestion']}>
          <span>
            Its name suggests {guardNames.find(({ value }) => value === suggestedGuard)?.label}: nothing was
            chosen yet.
          </span>
          <Button small onClick={() => onGuard(suggestedGuard)}>
            Use It
          </Button>
        </div>
      )}
    </li>
  );
}
