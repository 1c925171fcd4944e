import {
  ArrowDown,
  ArrowUp,
  Clock,
  Copy,
  Download,
  Pause,
  Play,
  Regex,
  Trash2,
  WrapText,
} from 'lucide-react';
import { useState, type RefObject } from 'react';
import { copyText } from '../../ui/copy-text.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { LogModel } from './log-model.ts';
import styles from './log-view.module.css';

interface ToolbarProps {
  readonly model: LogModel;
  readonly version: number;
  readonly name: string;
  readonly findField: RefObject<HTMLInputElement | null>;
  readonly query: string;
  readonly onQuery: (text: string) => void;
  readonly onFind: (direction: 1 | -1) => void;
  readonly filterText: string;
  readonly onFilterText: (text: string) => void;
  readonly asPattern: boolean;
  readonly onAsPattern: (asPattern: boolean) => void;
  readonly wrap: boolean;
  readonly onWrap: (wrap: boolean) => void;
  readonly stamped: boolean;
  readonly onStamped: (stamped: boolean) => void;
  readonly following: boolean;
  readonly onFollowing: (following: boolean) => void;
  readonly onClear: () => void;
}

/** What can be done with a log. */
export function LogToolbar(props: ToolbarProps) {
  const { model, following, wrap, stamped } = props;
  const [copied, setCopied] = useState('');
  return (
    <div className={styles['bar']} role="toolbar" aria-label="Log">
      <Find {...props} />
      <Filter {...props} />
      <span className={styles['count']}>{countText(model)}</span>
      <span className={styles['gap']} />
      <span className={styles['tools']}>
        <IconButton
          small
          label="Timestamps"
          icon={<Clock />}
          pressed={stamped}
          onClick={() => props.onStamped(!stamped)}
        />
        <IconButton
          small
          label="Wrap Lines"
          icon={<WrapText />}
          pressed={wrap}
          onClick={() => props.onWrap(!wrap)}
        />
        <IconButton
          small
          label={copied === '' ? 'Copy Lines' : copied}
          icon={<Copy />}
          onClick={() =>
            void copyText(model.text(stamped)).then((done) =>
              setCopied(done ? 'Copied' : 'The clipboard is closed to this page'),
            )
          }
        />
        <IconButton
          small
          label="Download Lines"
          icon={<Download />}
          onClick={() => download(`${props.name}.log`, model.text(stamped))}
        />
        <IconButton small label="Clear" icon={<Trash2 />} onClick={props.onClear} />
        <IconButton
          small
          label={following ? 'Pause' : 'Follow'}
          icon={following ? <Pause /> : <Play />}
          onClick={() => props.onFollowing(!following)}
        />
      </span>
    </div>
  );
}

function Find({ findField, query, onQuery, onFind }: ToolbarProps) {
  return (
    <span className={styles['group']}>
      <span className={styles['field']}>
        <TextField
          ref={findField}
          label="Find"
          hideLabel
          placeholder="Find"
          type="search"
          value={query}
          onChange={onQuery}
          maxLength={200}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            onFind(event.shiftKey ? -1 : 1);
          }}
        />
      </span>
      <IconButton
        small
        label="Previous Match"
        icon={<ArrowUp />}
        disabled={query === ''}
        onClick={() => onFind(-1)}
      />
      <IconButton
        small
        label="Next Match"
        icon={<ArrowDown />}
        disabled={query === ''}
        onClick={() => onFind(1)}
      />
    </span>
  );
}

function Filter({ filterText, onFilterText, asPattern, onAsPattern }: ToolbarProps) {
  return (
    <span className={styles['group']}>
      <span className={styles['field']}>
        <TextField
          label="Filter"
          hideLabel
          placeholder={asPattern ? 'Filter by regular expression' : 'Filter'}
          type="search"
          value={filterText}
          onChange={onFilterText}
          maxLength={500}
          mono={asPattern}
        />
      </span>
      <IconButton
        small
        label="Regular Expression"
        icon={<Regex />}
        pressed={asPattern}
        onClick={() => onAsPattern(!asPattern)}
      />
    </span>
  );
}

function countText(model: LogModel): string {
  const { shownLines: shown, keptLines: kept } = model.counts;
  const all = `${kept.toLocaleString()} ${kept === 1 ? 'line' : 'lines'}`;
  return shown === kept ? all : `${shown.toLocaleString()} of ${all}`;
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text, '\n'], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\w.-]+/g, '-');
  link.click();
  URL.revokeObjectURL(url);
}
