import '../terminal/ansi.css';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { ErrorValue } from '../../../contract/errors.ts';
import { useClient, useConnection } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { compileFilter } from './compile-filter.ts';
import { followLog, type LogTarget } from './follow-log.ts';
import { LogModel, type LogRow } from './log-model.ts';
import { LogScroller } from './log-scroller.tsx';
import { LogToolbar } from './log-toolbar.tsx';
import styles from './log-view.module.css';

export type { LogTarget } from './follow-log.ts';

/** Lines of the past that a log begins with. */
const tailLines = 1_000;

/** What a container writes, as it writes it. Bounded, whatever it writes. */
export function LogView({ target }: { readonly target: LogTarget }) {
  const key = JSON.stringify(target);
  return <Log key={key} target={target} />;
}

function Log({ target }: { readonly target: LogTarget }) {
  const { model, version, changed, state, retry } = useLog(target);
  const [following, setFollowing] = useState(true);
  const [pausedAt, setPausedAt] = useState(0);
  const [query, setQuery] = useState('');
  const [filterText, setFilterText] = useState('');
  const [asPattern, setAsPattern] = useState(false);
  const [wrap, setWrap] = useState(false);
  const [stamped, setStamped] = useState(false);
  const [current, setCurrent] = useState<LogRow | undefined>(undefined);
  const [missed, setMissed] = useState(false);
  const findField = useRef<HTMLInputElement>(null);

  const compiled = useMemo(() => compileFilter(filterText, asPattern), [filterText, asPattern]);
  const said =
    compiled.kind === 'problem'
      ? `This regular expression cannot be used: ${compiled.message}`
      : missed
        ? 'Nothing was found in the lines that are shown.'
        : undefined;
  // What was shown stays while a pattern is not complete yet.
  const filter = useLatest(compiled.kind === 'problem' ? undefined : compiled);
  model.setFilter(filter?.kind === 'filter' ? filter.filter : undefined);

  const follow = (next: boolean): void => {
    setFollowing(next);
    setPausedAt(model.total);
  };
  const find = (direction: 1 | -1): void => {
    const from = current === undefined ? (direction === 1 ? 0 : model.total) : current.sequence + direction;
    const row = model.find(query, from, direction);
    setMissed(row === undefined && query !== '');
    if (row === undefined) return;
    follow(false);
    setCurrent(row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    findField.current?.select();
  };

  return (
    <section className={styles['view']} aria-label={`Log of ${nameOf(target)}`} onKeyDown={onKeyDown}>
      <LogToolbar
        model={model}
        version={version}
        name={nameOf(target)}
        findField={findField}
        query={query}
        onQuery={(text) => {
          setQuery(text);
          setCurrent(undefined);
          setMissed(false);
        }}
        onFind={find}
        filterText={filterText}
        onFilterText={setFilterText}
        asPattern={asPattern}
        onAsPattern={setAsPattern}
        wrap={wrap}
        onWrap={setWrap}
        stamped={stamped}
        onStamped={setStamped}
        following={following}
        onFollowing={follow}
        onClear={() => {
          model.clear();
          changed();
        }}
      />
      {said === undefined ? null : (
        <p className={styles['problem']} role="status">
          {said}
        </p>
      )}
      <div className={styles['body']}>
        <LogScroller
          model={model}
          version={version}
          label={`Lines of ${nameOf(target)}`}
          following={following}
          onFollowing={follow}
          wrap={wrap}
          stamped={stamped}
          query={query}
          current={current}
        />
        {model.counts.shownLines > 0 ? null : <p className={styles['note']}>{emptyNote(model, state)}</p>}
        {following || model.total === pausedAt ? null : (
          <div className={styles['jump']}>
            <Button small local kind="primary" onClick={() => follow(true)}>
              {(model.total - pausedAt).toLocaleString()} New Lines
            </Button>
          </div>
        )}
      </div>
      {state.kind === 'failed' ? (
        <div className={styles['error']}>
          <ErrorBox error={state.error} onRetry={retry} />
        </div>
      ) : null}
    </section>
  );
}

type LogState =
  | { readonly kind: 'following' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: ErrorValue };

/** The log and how it is followed; begins again when the connection to main is back, with a mark. */
function useLog(target: LogTarget) {
  const client = useClient();
  const connection = useConnection();
  const [model] = useState(() => new LogModel());
  const [version, setVersion] = useState(0);
  const [state, setState] = useState<LogState>({ kind: 'following' });
  const [attempt, setAttempt] = useState(0);
  const isOpen = connection !== 'lost';
  useEffect(() => {
    if (!isOpen) return undefined;
    setState({ kind: 'following' });
    if (model.counts.kept > 0) {
      model.append({ interrupted: 'It begins again here with its latest lines.', lines: [] });
      setVersion((before) => before + 1);
    }
    return followLog(client, target, tailLines, {
      onBatches(batches) {
        for (const batch of batches) model.append(batch);
        setVersion((before) => before + 1);
      },
      onEnd: () => setState({ kind: 'ended' }),
      onError: (error) => setState({ kind: 'failed', error }),
    });
  }, [client, model, isOpen, attempt]);
  return {
    model,
    version,
    state,
    changed: () => setVersion((before) => before + 1),
    retry: () => setAttempt((before) => before + 1),
  };
}

/** The latest value that was not undefined. */
function useLatest<Value>(value: Value | undefined): Value | undefined {
  const latest = useRef(value);
  if (value !== undefined) latest.current = value;
  return latest.current;
}

function emptyNote(model: LogModel, state: LogState): string {
  if (model.counts.keptLines > 0) return 'No line matches the filter.';
  if (state.kind === 'failed') return '';
  if (state.kind === 'ended') return 'The log has ended without a line.';
  return 'No line yet. What the container writes appears here.';
}

function nameOf(target: LogTarget): string {
  if (target.kind === 'session') return 'the session';
  return target.container === undefined ? target.name : `${target.name} · ${target.container}`;
}
