import { GitCompareArrows, RefreshCw } from 'lucide-react';
import { memo, useMemo, type ReactNode } from 'react';
import type { ServiceHealth, SessionDetail } from '../../../contract/sessions.ts';
import { hrefOf } from '../../app/route.ts';
import { conflictCount, isOver } from '../../app/session-look.ts';
import { useStale } from '../../ui/blocked.ts';
import { Bytes } from '../../ui/bytes.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Text } from '../../ui/text.tsx';
import { Time } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { useAction } from '../../ipc/client.ts';
import type { ActivityLog } from './activity-log.ts';
import { ActivityCells } from './activity-rows.tsx';
import { conflictLine, conflictRows } from './conflicts.ts';
import { HeldCallouts } from './held-callouts.tsx';
import { SessionResult } from './session-result.tsx';
import { countText, lastKnown, toneOfService, wordOfService } from './session-text.ts';
import { StartProgress } from './start-progress.tsx';
import calloutStyles from './callout.module.css';
import rowStyles from './rows.module.css';
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
      <ConflictsLine detail={detail} />
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

/** That both sides changed the same files: the sync goes on, and whoever changed them should know. */
function ConflictsLine({ detail }: { readonly detail: SessionDetail }) {
  const { conflicts, held, summary } = detail;
  const rows = useMemo(() => conflictRows({ conflicts, held, summary }), [conflicts, held, summary]);
  if (rows.length === 0) return null;
  const title = conflictCount(summary.conflicts);
  return (
    <section className={calloutStyles['callout']} aria-label={title}>
      <GitCompareArrows className={calloutStyles['calloutIcon']} aria-hidden />
      <p className={calloutStyles['calloutText']}>
        <span className={calloutStyles['calloutTitle']}>{title}</span>: both sides changed the same file.{' '}
        {conflictLine(rows)}
      </p>
      <a href={hrefOf({ page: 'session', session: summary.id, tab: 'sync', part: 'conflicts' })}>
        See Conflicts
      </a>
    </section>
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
  const stale = useStale();
  const rows = Object.entries(services).sort(
    ([, a], [, b]) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.label.localeCompare(b.label),
  );
  return (
    <Card
      flush
      title="Services"
      aside={healthOf(
        rows.map(([, { state }]) => state),
        stale,
      )}
    >
      {rows.length === 0 ? <p className={styles['placeholder']}>Nothing is started yet.</p> : null}
      <ul role="list" className={rowStyles['services']}>
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

function healthOf(states: readonly ServiceHealth['state'][], stale: boolean): string {
  if (stale) return 'Not known';
  const trouble = states.filter((state) => state !== 'active' && state !== 'starting').length;
  if (trouble > 0) return `${trouble} ${trouble === 1 ? 'needs' : 'need'} a look`;
  if (states.length === 0) return '';
  return states.includes('starting') ? 'Starting' : 'All healthy';
}

function ServiceRow({
  service,
  onReconnect,
}: {
  readonly service: ServiceHealth;
  readonly onReconnect: () => void;
}) {
  const stale = useStale();
  return (
    <li className={`${rowStyles['row'] ?? ''} ${rowStyles['service'] ?? ''}`}>
      <span data-part="dot">
        <StatusDot tone={toneOfService(service.state)} label={wordOfService(service.state)} />
      </span>
      <span data-part="name" className={rowStyles['name']} title={visibleLine(service.label)}>
        <Text value={service.label} />
      </span>
      <span data-part="message" className={styles['muted']}>
        <Text value={lastKnown(service.message, stale)} />
      </span>
      <span data-part="again">
        {service.restartable ? (
          <IconButton small label="Connect and Look Again" icon={<RefreshCw />} onClick={onReconnect} />
        ) : null}
      </span>
      <span data-part="since" className={`${styles['faint'] ?? ''} ${styles['end'] ?? ''}`}>
        <Time iso={service.since} style="relative" />
      </span>
    </li>
  );
}

/** Rows of the card; the Sync tab has them all. */
const shownRows = 8;

const ActivityCard = memo(function ActivityCard({
  session,
  log,
}: {
  readonly session: string;
  readonly log: ActivityLog;
}) {
  useLogVersion(log);
  const latest = log.items.slice(-shownRows).reverse();
  return (
    <Card
      flush
      title="Activity"
      aside={<a href={hrefOf({ page: 'session', session, tab: 'sync' })}>See All</a>}
    >
      {latest.length === 0 ? (
        <p className={styles['placeholder']}>No file has travelled yet. Save one, and it shows up here.</p>
      ) : (
        <ul role="list" style={{ listStyle: 'none' }}>
          {latest.map((item, place) => (
            <li
              key={place}
              className={`${rowStyles['row'] ?? ''} ${rowStyles['travel'] ?? ''}`}
              data-place="card"
            >
              <ActivityCells item={item} place="card" />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
});

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
        <Fact label="Dev pod">
          <span className={styles['code']}>
            <Text value={pod ?? detail.devName} />
            {container === undefined ? null : (
              <>
                {' · '}
                <Text value={container} />
              </>
            )}
          </span>
        </Fact>
        <Fact label="To the container">
          {countText(up.files, 'file')}, <Bytes value={up.bytes} />
        </Fact>
        <Fact label="To this machine">
          {countText(down.files, 'file')}, <Bytes value={down.bytes} />
        </Fact>
        <Fact label="Started">
          <Time iso={summary.startedAt} style="full" />
        </Fact>
      </dl>
      {detail.commandLine === '' ? null : <CodeBlock text={detail.commandLine} label="Slipway Command" />}
    </Card>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function FolderFact({ local, remote }: { readonly local: string; readonly remote: string }) {
  return (
    <Fact label="Folder">
      <span className={styles['code']}>
        <Text value={local} /> ↔ <Text value={remote} />
      </span>
    </Fact>
  );
}
