import { FolderOpen } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useAction, useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { FolderDialog } from '../folders/folder-dialog.tsx';
import styles from './start-form.module.css';

/** Folders of earlier sessions that are offered. */
const mostRecent = 4;

interface FolderFieldProps {
  readonly value: string;
  readonly onChange: (folder: string) => void;
  readonly error: string | undefined;
  readonly hint: ReactNode;
}

/** A folder of this machine: typed, chosen in a dialog, or one that was used before. */
export function FolderField({ value, onChange, error, hint }: FolderFieldProps) {
  const info = useRemote('app.info', {}).value;
  const recent = useRemote('settings.current', {}).value?.recentFolders ?? [];
  const native = useAction();
  const [open, setOpen] = useState(false);
  const choose = async (): Promise<void> => {
    if (info?.nativeFolderDialog !== true) {
      setOpen(true);
      return;
    }
    const chosen = await native.run('app.chooseFolder', {});
    if (chosen?.path !== undefined) onChange(chosen.path);
  };
  const offered = recent.filter((folder) => folder !== value).slice(0, mostRecent);
  return (
    <div className={styles['folder']}>
      <div className={styles['folderLine']}>
        <TextField
          label="Folder on this machine"
          mono
          placeholder={info === undefined ? '' : `${info.homeFolder}/…`}
          value={value}
          onChange={onChange}
          error={error}
          hint={hint}
        />
        <span className={styles['folderButton']}>
          <Button icon={<FolderOpen aria-hidden />} pending={native.pending} onClick={() => void choose()}>
            Choose…
          </Button>
        </span>
      </div>
      {offered.length === 0 || value !== '' ? null : (
        <div className={styles['recent']}>
          <span className={styles['why']}>Used before</span>
          {offered.map((folder) => (
            <Button key={folder} small kind="quiet" onClick={() => onChange(folder)}>
              {folder}
            </Button>
          ))}
        </div>
      )}
      <FolderDialog
        open={open}
        start={value === '' ? (info?.startFolder ?? info?.homeFolder ?? '/') : value}
        onChoose={(path) => {
          setOpen(false);
          onChange(path);
        }}
        onClose={() => setOpen(false)}
      />
    </div>
  );
}
