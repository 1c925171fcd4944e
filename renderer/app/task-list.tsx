import { useState } from 'react';
import type { Task } from '../../contract/app.ts';
import { useAction } from '../ipc/client.ts';
import { Button } from '../ui/button.tsx';
import { ErrorBox } from '../ui/error-box.tsx';
import { Popover } from '../ui/popover.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { StatusDot } from '../ui/status-dot.tsx';
import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { parseRoute } from './route-hash.ts';
import { navigate } from './route.ts';
import { TaskSummaryText } from './task-summary-text.tsx';
import styles from './task-list.module.css';
import bar from './status-bar.module.css';
import { summarizeTasks } from './task-summary.ts';

/** The tasks of the status bar: a line that opens the list of all. */
export function TaskList({ tasks }: { readonly tasks: readonly Task[] }) {
  const [open, setOpen] = useState(false);
  const summary = summarizeTasks(tasks);
  if (summary === undefined) return null;
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label="Tasks"
      trigger={
        <button type="button" className={bar['item']}>
          <TaskSummaryText summary={summary} />
        </button>
      }
    >
      <Tasks tasks={tasks} onLeave={() => setOpen(false)} />
    </Popover>
  );
}

function Tasks({ tasks, onLeave }: { readonly tasks: readonly Task[]; readonly onLeave: () => void }) {
  const clear = useAction();
  const ended = tasks.some(({ state }) => state !== 'running');
  return (
    <div className={styles['tasks']}>
      <div className={styles['head']}>
        <h2 className={styles['title']}>Tasks</h2>
        <Button
          small
          kind="quiet"
          local={false}
          disabled={!ended}
          onClick={() => void clear.run('app.clearTasks', {})}
        >
          Clear Ended
        </Button>
      </div>
      <ul className={styles['list']}>
        {tasks.map((task) => (
          <li key={task.id}>
            <TaskRow task={task} onLeave={onLeave} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const looks = {
  running: { tone: 'info', word: 'running' },
  done: { tone: 'ok', word: 'done' },
  failed: { tone: 'error', word: 'failed' },
  cancelled: { tone: 'neutral', word: 'cancelled' },
} as const;

function TaskRow({ task, onLeave }: { readonly task: Task; readonly onLeave: () => void }) {
  const cancel = useAction();
  const { route } = task;
  return (
    <div className={styles['task']}>
      <StatusDot
        tone={looks[task.state].tone}
        label={looks[task.state].word}
        past={task.state !== 'running'}
      />
      <div className={styles['text']}>
        <div className={styles['name']}>
          <Text value={task.title} most={160} />
        </div>
        {task.state === 'running' ? <ProgressBar value={task.progress} label={task.title} /> : null}
        {task.detail === '' ? null : (
          <div className={styles['detail']}>
            <Text value={task.detail} most={200} />
          </div>
        )}
        {task.error === undefined ? null : <ErrorBox error={task.error} />}
        {cancel.error === undefined ? null : <ErrorBox error={cancel.error} />}
        <div className={styles['foot']}>
          {task.state === 'running' ? 'started' : `${looks[task.state].word}, started`}{' '}
          <Time iso={task.startedAt} style="clock" />
          {route === undefined ? null : (
            <Button
              small
              kind="quiet"
              onClick={() => {
                navigate(parseRoute(route.startsWith('#') ? route : `#${route}`));
                onLeave();
              }}
            >
              Open Its Page
            </Button>
          )}
          {task.state === 'running' && task.cancellable ? (
            <Button
              small
              kind="quiet"
              local={false}
              pending={cancel.pending}
              onClick={() => void cancel.run('app.cancelTask', { id: task.id })}
            >
              Cancel
            </Button>
          ) : null}
        </div>
      </div>
    </div>
  );
}
