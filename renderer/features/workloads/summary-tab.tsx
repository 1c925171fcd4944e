import type {
  ContainerSummary,
  ObjectEvent,
  PodSummary,
  WorkloadDetail,
} from '../../../contract/workloads.ts';
import type { Tone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { ListingView } from '../../ui/listing-view.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './summary-tab.module.css';

interface SummaryTabProps {
  readonly detail: WorkloadDetail;
  readonly onRetry: () => void;
}

/** What the workload is made of and how it is. */
export function SummaryTab({ detail, onRetry }: SummaryTabProps) {
  const pods = Object.keys(detail.pods.items).length;
  const warnings = Object.values(detail.events.items).filter((event) => event.warning).length;
  return (
    <div className={styles['grid']}>
      <div className={styles['column']}>
        <Card title="Pods" aside={pods === 0 ? undefined : String(pods)} flush>
          <ListingView
            listing={detail.pods}
            onRetry={onRetry}
            empty={{
              title: 'No pods now',
              text:
                detail.workload?.desired === 0
                  ? 'The workload is scaled to 0.'
                  : 'None was made yet; the events say why.',
            }}
          >
            {(items) => <Pods pods={items} />}
          </ListingView>
        </Card>
        <Card title="Events" aside={warningCount(warnings)} flush>
          <ListingView
            listing={detail.events}
            onRetry={onRetry}
            empty={{ title: 'No events', text: 'The cluster keeps them for about an hour.' }}
          >
            {(items) => <Events events={items} />}
          </ListingView>
        </Card>
      </div>
      <div className={styles['column']}>
        {detail.containers.map((container) => (
          <ContainerCard key={container.name} container={container} />
        ))}
        <Card title="Reached through" flush>
          {detail.services.length === 0 ? (
            <p className={styles['none']}>No Service leads to its pods.</p>
          ) : (
            <ul className={styles['list']}>
              {detail.services.map((service) => (
                <li key={service.name} className={styles['line']}>
                  <span className={styles['strong']}>
                    <Text value={service.name} />
                  </span>
                  <span className={styles['faint']}>
                    <Text value={service.ports.join(', ')} mono />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <Card title="Owners" flush>
          {detail.owners.length === 0 ? (
            <p className={styles['none']}>Nothing marks it as its own.</p>
          ) : (
            <ul className={styles['list']}>
              {detail.owners.map((owner, index) => (
                <li key={index} className={styles['line']}>
                  <Text value={owner} />
                </li>
              ))}
            </ul>
          )}
        </Card>
        <Card title="Labels">
          {Object.keys(detail.labels).length === 0 ? <p className={styles['faint']}>It has none.</p> : null}
          <ul className={styles['labels']}>
            {Object.entries(detail.labels).map(([key, value]) => (
              <li key={key} className={styles['label']}>
                <Text value={`${key}=${value}`} mono most={200} />
              </li>
            ))}
          </ul>
        </Card>
      </div>
    </div>
  );
}

function warningCount(count: number): string | undefined {
  return count === 0 ? undefined : count === 1 ? '1 warning' : `${count} warnings`;
}

function podTone({ ready, phase }: PodSummary): Tone {
  if (phase === 'Failed') return 'error';
  if (ready || phase === 'Succeeded') return 'ok';
  return phase === 'Terminating' ? 'neutral' : 'warn';
}

function Pods({ pods }: { readonly pods: readonly (PodSummary & { readonly key: string })[] }) {
  const sorted = [...pods].sort(
    (a, b) => b.createdAt.localeCompare(a.createdAt) || a.name.localeCompare(b.name),
  );
  return (
    <ul className={styles['list']}>
      {sorted.map((pod) => (
        <li key={pod.key} className={styles['pod']}>
          <StatusDot tone={podTone(pod)} label="" />
          <span className={styles['podName']}>
            <Text value={pod.name} />
          </span>
          <span className={styles['podPhase']}>{pod.ready ? 'Ready' : pod.phase}</span>
          <span className={styles['podAge']}>
            <Time iso={pod.createdAt} style="relative" />
          </span>
          <span className={styles['podMore']}>
            <Text value={`on ${pod.node ?? 'no node yet'}`} />
            {pod.restarts === 0 ? null : (
              <span className={styles['restarts']}>{`, restarted ${pod.restarts}×`}</span>
            )}
          </span>
          {pod.reason === undefined ? null : (
            <span className={styles['reason']}>
              <Text value={pod.reason} lines />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Events({ events }: { readonly events: readonly (ObjectEvent & { readonly key: string })[] }) {
  const sorted = [...events].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <ul className={styles['list']}>
      {sorted.map((event) => (
        <li key={event.key} className={styles['event']} data-warning={event.warning || undefined}>
          <StatusDot
            past
            tone={event.warning ? 'warn' : 'neutral'}
            label={event.warning ? 'Warning' : 'Normal'}
          />
          <span className={styles['eventText']}>
            <span className={styles['strong']}>
              <Text value={event.reason} />
            </span>
            {event.count > 1 ? <span className={styles['count']}>×{event.count}</span> : null}
            <span className={styles['eventObject']}>
              <Text value={event.object} />
            </span>
            <span className={styles['message']}>
              <Text value={event.message} lines />
            </span>
          </span>
          <span className={styles['podAge']}>
            <Time iso={event.at} style="relative" />
          </span>
        </li>
      ))}
    </ul>
  );
}

function ContainerCard({ container }: { readonly container: ContainerSummary }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Image', container.image],
    ['Command', container.command === '' ? 'of the image' : container.command],
    ['Folder', container.workingDir ?? 'of the image'],
    [
      'Ports',
      container.ports
        .map(({ name, port, protocol }) => `${name === undefined ? '' : `${name} `}${port}/${protocol}`)
        .join(', ') || 'none named',
    ],
    ['Requests', container.requests || 'none'],
    ['Limits', container.limits || 'none'],
    ['Variables', container.env === 0 ? 'none' : String(container.env)],
  ];
  return (
    <Card title={<Text value={container.name} />} aside="container">
      <dl className={styles['facts']}>
        {facts.map(([term, value]) => (
          <div key={term} className={styles['fact']}>
            <dt>{term}</dt>
            <dd>
              <Text value={value} mono={!['of the image', 'none', 'none named'].includes(value)} />
            </dd>
          </div>
        ))}
        {container.mounts.map((mount) => (
          <div key={mount.path} className={styles['fact']}>
            <dt>Mount</dt>
            <dd>
              <Text value={mount.path} mono />{' '}
              <span className={styles['faint']}>
                <Text value={`${mount.source}${mount.readOnly ? ', read-only' : ''}`} />
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
