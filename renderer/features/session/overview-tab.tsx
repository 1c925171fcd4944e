import { RefreshCw } from 'lucide-react';
import { memo } from 'react';
import type { ServiceHealth, SessionDetail } from '../../../contract/sessions.ts';
import { hrefOf } from '../../app/route.ts';
import { Bytes } from '../../ui/bytes.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { useAction } from '../../ipc/client.ts';
import type { ActivityLog } from './activity-log.ts';
import { shownActivity } from './activity-log.ts';
import { ActivityCells } from './activity-rows.tsx';
import { HeldCallouts } from './held-callouts.tsx';
import { SessionResult } from './session-result.tsx';
import { countText, isOver, toneOfService, wordOfService } from './session-text.ts';
import { StartProgress } from './start-progress.tsx';
import styles from './session.module.css';
import { useLogVersion } from './use-activity.ts';

interface OverviewTabProps {
  readonly detail: SessionDetail;
  readonly log: ActivityLog;
}

/** How the session is at a glance: what needs an answer, its services, what travels, and where it runs. */
export function OverviewTab({ detail, log }: OverviewTabProps) {
  const { id, stage } = detail.summary;
  const running = stage === 'running';
  return (
    <div className={styles['stack']}>
      {isOver(stage) ? <SessionResult detail={detail} /> : null}
      <HeldCallouts session={id} held={detail.held} total={detail.summary.held} />
      {running || isOver(stage) ? null : <StartProgress detail={detail} />}
      {isOver(stage) ? null : (
        <div className={styles['columns']}>
          <ServicesCard session={id} services={detail.services} />
          <ActivityCard session={id} log={log} />
        </div>
      )}
      <FactsCard detail={detail} />
    </div>
  );
}

const order = ['sync', 'pod', 'forward', 'lease'] as const;

const ServicesCard = memo(function ServicesCard({
  session,
  services,
}: {
  readonly session: string;
  readonly services: SessionDetail['services'];
}) {
  const nudge = useAction();
  const rows = Object.entries(services).sort(
    ([, a], [, b]) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.label.localeCompare(b.label),
  );
  const trouble = rows.filter(([, { state }]) => state !== 'active' && state !== 'starting').length;
  return (
    <Card
      flush
      title="Services"
      aside={trouble === 0 ? 'All work' : `${trouble} ${trouble === 1 ? 'needs' : 'need'} a look`}
    >
      {rows.length === 0 ? <p className={styles['placeholder']}>Nothing is started yet.</p> : null}
      <ul role="list" style={{ listStyle: 'none' }}>
        {rows.map(([key, service]) => (
          <ServiceRow
            key={key}
            service={service}
            onReconnect={() => void nudge.run('sessions.nudge', { session })}
          />
        ))}
      </ul>
    </Card>
  );
});

function ServiceRow({
  service,
  onReconnect,
}: {
  readonly service: ServiceHealth;
  readonly onReconnect: () => void;
}) {
  return (
    <li className={`${styles['row'] ?? ''} ${styles['service'] ?? ''}`}>
      <StatusDot tone={toneOfService(service.state)} label={wordOfService(service.state)} />
      <span className={styles['name']} title={service.label}>
        <Text value={service.label} />
      </span>
      <span className={styles['muted']}>
        <Text value={service.message} />
      </span>
      {service.restartable ? (
        <IconButton small label="Connect and Look Again" icon={<RefreshCw />} onClick={onReconnect} />
      ) : (
        <span />
      )}
      <span className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''} ${styles['sinceCell'] ?? ''}`}>
        <Time iso={service.since} style="relative" />
      </span>
    </li>
  );
}

/** Rows of the card; the Sync tab has them all. */
const shownRows = 8;

function ActivityCard({ session, log }: { readonly session: string; readonly log: ActivityLog }) {
  useLogVersion(log);
  const latest = shownActivity(log.items.slice(-shownRows), { before: Infinity, search: '' });
  return (
    <Card
      flush
      title="Activity"
      aside={<a href={hrefOf({ page: 'session', session, tab: 'sync' })}>All of It</a>}
    >
      {latest.length === 0 ? (
        <p className={styles['placeholder']}>No file has travelled yet. Save one, and it shows up here.</p>
      ) : (
        <ul role="list" style={{ listStyle: 'none' }}>
          {latest.map((item) => (
            <li
              key={item.number}
              className={`${styles['row'] ?? ''} ${styles['travel'] ?? ''}`}
              data-place="card"
            >
              <ActivityCells item={item} place="card" />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function FactsCard({ detail }: { readonly detail: SessionDetail }) {
  const { up, down, pod, container, pairs, summary } = detail;
  return (
    <Card title="Where It Runs">
      <dl className={styles['facts']}>
        {(pairs.length > 0 ? pairs : [{ local: summary.folder, remote: detail.form.containerPath }]).map(
          (pair) => (
            <FolderFact key={pair.local + pair.remote} {...pair} />
          ),
        )}
        <dt>Dev pod</dt>
        <dd className={styles['code']}>
          <Text value={pod ?? detail.devName} />
          {container === undefined ? null : (
            <>
              {' · '}
              <Text value={container} />
            </>
          )}
        </dd>
        <dt>Sent</dt>
        <dd>
          {countText(up.files, 'file')}, <Bytes value={up.bytes} />
        </dd>
        <dt>Received</dt>
        <dd>
          {countText(down.files, 'file')}, <Bytes value={down.bytes} />
        </dd>
        <dt>Started</dt>
        <dd>
          <Time iso={summary.startedAt} style="full" />
        </dd>
      </dl>
      {detail.commandLine === '' ? null : <CodeBlock text={detail.commandLine} label="Slipway Command" />}
    </Card>
  );
}

function FolderFact({ local, remote }: { readonly local: string; readonly remote: string }) {
  return (
    <>
      <dt>Folder</dt>
      <dd className={styles['code']}>
        <Text value={local} /> ↔ <Text value={remote} />
      </dd>
    </>
  );
}
