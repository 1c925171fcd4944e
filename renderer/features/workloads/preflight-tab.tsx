import { Check, CircleHelp, RefreshCw, X } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { ErrorValue } from '../../../contract/errors.ts';
import type { PreflightMatrix, WorkloadKey } from '../../../contract/workloads.ts';
import { RemoteError, useClient } from '../../ipc/client.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import styles from './preflight-tab.module.css';
import { ToneIcon } from './tone-icon.tsx';

type Answer = PreflightMatrix['channels'][number]['rights'][number]['answer'];
type Verdict = PreflightMatrix['channels'][number]['verdict'];

/** Which rights each channel needs and which of them this user has. */
export function PreflightTab({ workload }: { readonly workload: WorkloadKey }) {
  const client = useClient();
  const [found, setFound] = useState<PreflightMatrix>();
  const [error, setError] = useState<ErrorValue>();
  const [turn, setTurn] = useState(0);
  const [pending, setPending] = useState(true);
  const { cluster, namespace, kind, name } = workload;
  useEffect(() => {
    const stop = new AbortController();
    setPending(true);
    client
      .call('workloads.preflight', { cluster, namespace, kind, name }, { signal: stop.signal })
      .then(
        (matrix) => {
          setFound(matrix);
          setError(undefined);
        },
        (failure: unknown) => {
          if (stop.signal.aborted) return;
          if (!(failure instanceof RemoteError)) throw failure;
          setError(failure.value);
        },
      )
      .finally(() => {
        if (!stop.signal.aborted) setPending(false);
      });
    return () => stop.abort();
  }, [client, cluster, namespace, kind, name, turn]);
  const again = useCallback(() => setTurn((count) => count + 1), []);
  if (error !== undefined) return <ErrorBox error={error} onRetry={again} />;
  if (found === undefined) return <Skeleton />;
  return (
    <div className={styles['page']}>
      <div className={styles['top']}>
        <p className={styles['summary']}>
          <Text value={summaryOf(found)} />
        </p>
        <Button small icon={<RefreshCw aria-hidden />} pending={pending} onClick={again}>
          Ask Again
        </Button>
      </div>
      {found.guard === undefined ? null : (
        <p className={styles['guard']}>
          <Text value={found.guard} />
        </p>
      )}
      <div className={styles['grid']}>
        {found.channels.map((channel) => (
          <Card
            key={channel.channel}
            title={channel.label}
            aside={<VerdictBadge verdict={channel.verdict} />}
            flush
          >
            <ul className={styles['rights']}>
              {channel.rights.map((right) => (
                <li key={right.right} className={styles['right']}>
                  <AnswerIcon answer={right.answer} optional={right.optional} />
                  <span className={styles['text']}>
                    <Text value={right.right} mono />
                    {right.reason === undefined || right.answer === 'allowed' ? null : (
                      <span className={styles['reason']}>
                        <Text value={right.reason} />
                      </span>
                    )}
                  </span>
                  <span className={styles['word']}>
                    {right.optional ? 'optional, ' : ''}
                    {right.answer}
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        ))}
      </div>
      {found.missingRole === undefined ? null : (
        <Card title="Role that gives what is missing" aside="for whoever administers the namespace">
          <CodeBlock text={found.missingRole} label="the Role" />
        </Card>
      )}
    </div>
  );
}

/** The whole in one sentence. */
export function summaryOf({ channels }: PreflightMatrix): string {
  const missing = channels
    .filter(({ verdict }) => verdict === 'missing')
    .map(({ label }) => label.toLowerCase());
  const unknown = channels.filter(({ verdict }) => verdict === 'unknown').length;
  if (missing.length > 0) return `You lack rights to: ${missing.join(', ')}.`;
  if (unknown > 0)
    return `The cluster did not answer everything: ${unknown} of ${channels.length} are unknown.`;
  return 'You have every right that a session needs here.';
}

const verdicts: Readonly<Record<Verdict, { readonly tone: Tone; readonly word: string }>> = {
  allowed: { tone: 'ok', word: 'Allowed' },
  missing: { tone: 'error', word: 'Missing' },
  unknown: { tone: 'warn', word: 'Unknown' },
};

function VerdictBadge({ verdict }: { readonly verdict: Verdict }) {
  const { tone, word } = verdicts[verdict];
  const Icon = verdict === 'allowed' ? Check : verdict === 'missing' ? X : CircleHelp;
  return (
    <Badge past tone={tone}>
      <Icon aria-hidden className={styles['badgeIcon']} />
      {word}
    </Badge>
  );
}

function AnswerIcon({ answer, optional }: { readonly answer: Answer; readonly optional: boolean }) {
  const tone = answer === 'allowed' ? 'ok' : answer === 'denied' && !optional ? 'error' : 'warn';
  return (
    <ToneIcon
      tone={tone}
      icon={answer === 'allowed' ? <Check /> : answer === 'denied' ? <X /> : <CircleHelp />}
    />
  );
}
