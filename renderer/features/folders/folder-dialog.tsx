import { ArrowUp } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { FolderEntry } from '../../../contract/app.ts';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { visibleLine } from '../../ui/visible-text.ts';
import { FolderList } from './folder-list.tsx';
import { below, commonStart, lastName, matching, openEnded, splitTyped } from './folder-path.ts';
import { useFolder } from './use-folder.ts';
import styles from './folders.module.css';

interface FolderDialogProps {
  readonly open: boolean;
  /** Where it begins; the home folder otherwise. */
  readonly start?: string | undefined;
  readonly onChoose: (path: string) => void;
  readonly onClose: () => void;
}

/** Chooses a folder of the machine that Slipway runs on: the browser's own dialog would show another one. */
export function FolderDialog({ open, start, onChoose, onClose }: FolderDialogProps) {
  return open ? <OpenDialog start={start} onChoose={onChoose} onClose={onClose} /> : null;
}

function OpenDialog({ start, onChoose, onClose }: Omit<FolderDialogProps, 'open'>) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const info = useRemote('app.info', {}).value;
  const recent = useRemote('settings.current', {}).value?.recentFolders ?? [];
  const native = useAction();
  const [typed, setTyped] = useState(start === undefined || start === '' ? '' : openEnded(start));
  const [hidden, setHidden] = useState(false);
  const [active, setActive] = useState(0);
  const home = info?.homeFolder;
  useEffect(() => {
    if (home !== undefined) setTyped((text) => (text === '' ? openEnded(home) : text));
  }, [home]);
  const place = splitTyped(typed);
  const { folder, error } = useFolder(place.folder);
  const entries = matching(folder?.entries ?? [], place.start, hidden);
  // What is chosen: the folder that is listed, or the one whose name was typed in full.
  const exact = (folder?.entries ?? []).find(({ name }) => name === place.start);
  const chosen =
    folder === undefined || error !== undefined
      ? undefined
      : place.start === ''
        ? folder.path
        : exact === undefined
          ? undefined
          : below(folder.path, exact.name);
  useEffect(() => setActive(0), [typed, hidden, folder]);
  const go = (path: string) => setTyped(openEnded(path));
  const openEntry = (entry: FolderEntry) => {
    if (folder !== undefined) go(below(folder.path, entry.name));
  };
  const up = () => {
    if (folder?.parent !== undefined) go(folder.parent);
  };
  const complete = () => {
    const common = commonStart(entries);
    const [only] = entries;
    if (folder === undefined || only === undefined) return;
    if (entries.length === 1) go(below(folder.path, only.name));
    else if (common.length > place.start.length) setTyped(below(folder.path, common));
  };
  return (
    <Dialog
      open
      wide
      title="Choose a Folder"
      onClose={onClose}
      initialFocus={field}
      actions={
        <>
          {info?.nativeFolderDialog === true ? (
            <Button
              pending={native.pending}
              onClick={() => {
                void native.run('app.chooseFolder', {}).then((answer) => {
                  if (answer?.path !== undefined) onChoose(answer.path);
                });
              }}
            >
              System Dialog…
            </Button>
          ) : null}
          <Button local onClick={onClose}>
            Cancel
          </Button>
          <Button
            kind="primary"
            disabledReason={
              chosen === undefined ? 'There is no folder of that name: choose one below.' : undefined
            }
            onClick={() => {
              if (chosen !== undefined) onChoose(chosen);
            }}
          >
            {chosen === undefined ? 'Choose' : `Choose “${visibleLine(short(lastName(chosen)))}”`}
          </Button>
        </>
      }
    >
      <div className={styles['bar']}>
        <IconButton
          label="Go to the folder above"
          icon={<ArrowUp />}
          disabledReason={folder?.parent === undefined ? 'There is none above this one.' : undefined}
          onClick={up}
        />
        <TextField
          ref={field}
          label="Path"
          mono
          value={typed}
          onChange={setTyped}
          onKeyDown={(event) => {
            if (event.key === 'Tab' && !event.shiftKey && place.start !== '' && entries.length > 0)
              complete();
            else if (event.key === 'ArrowDown') document.getElementById(id)?.focus();
            else if (event.key === 'ArrowUp' && event.altKey) up();
            else if (event.key === 'Enter') {
              const [only] = entries;
              if (place.start !== '' && exact === undefined && only !== undefined) openEntry(only);
              else if (chosen !== undefined) onChoose(chosen);
            } else return;
            event.preventDefault();
          }}
        />
      </div>
      <div className={styles['panes']}>
        <Places home={home} start={info?.startFolder} recent={recent} onGo={go} />
        {error !== undefined ? (
          <div className={styles['message']}>
            <ErrorBox error={error} />
          </div>
        ) : folder === undefined ? (
          <div className={styles['message']}>
            <Skeleton label="Reading the folder" />
          </div>
        ) : entries.length === 0 ? (
          <p className={styles['message']}>
            {place.start === '' ? (
              'There is no folder in it.'
            ) : (
              <>
                No folder in <Text value={folder.path} /> begins with <Text value={place.start} />.
              </>
            )}
          </p>
        ) : (
          <FolderList
            id={id}
            label={`Folders in ${folder.path}`}
            entries={entries}
            active={active}
            onActive={setActive}
            onOpen={openEntry}
            onUp={up}
            onType={() => field.current?.focus()}
          />
        )}
      </div>
      <div className={styles['foot']}>
        <Checkbox label="Show hidden folders" checked={hidden} onChange={setHidden} />
        <span>
          {folder?.truncated === true ? 'There are more than are listed: type the path. ' : ''}
          Tab completes, Enter opens or chooses
        </span>
      </div>
      {native.error === undefined ? null : <ErrorBox error={native.error} />}
    </Dialog>
  );
}

function Places({
  home,
  start,
  recent,
  onGo,
}: {
  readonly home: string | undefined;
  readonly start: string | undefined;
  readonly recent: readonly string[];
  readonly onGo: (path: string) => void;
}) {
  return (
    <nav className={styles['places']} aria-label="Places">
      {recent.length === 0 ? null : <h3>Used Last</h3>}
      {recent.map((path) => (
        <button
          key={path}
          type="button"
          className={styles['place']}
          title={visibleLine(path)}
          onClick={() => onGo(path)}
        >
          <bdi>{visibleLine(lastName(path))}</bdi>
          <small>
            <bdi>{visibleLine(path)}</bdi>
          </small>
        </button>
      ))}
      <h3>Places</h3>
      {home === undefined ? null : (
        <button type="button" className={styles['place']} onClick={() => onGo(home)}>
          Home
        </button>
      )}
      {start === undefined || start === home ? null : (
        <button
          type="button"
          className={styles['place']}
          title={visibleLine(`Where Slipway was started: ${start}`)}
          onClick={() => onGo(start)}
        >
          Start Folder
        </button>
      )}
    </nav>
  );
}

function short(name: string): string {
  return [...name].length <= 24 ? name : `${[...name].slice(0, 23).join('')}…`;
}
