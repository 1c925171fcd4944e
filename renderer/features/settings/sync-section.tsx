import { useEffect, useState } from 'react';
import type { Settings } from '../../../contract/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { parsePatterns, patternsProblem } from './exclude-lines.ts';
import type { Saver } from './use-saver.ts';
import styles from './settings.module.css';

/** What every new session begins with. */
export function SyncSection({ settings, saver }: { readonly settings: Settings; readonly saver: Saver }) {
  const stored = settings.sync.excludes.join('\n');
  const [draft, setDraft] = useState<string>();
  useEffect(() => setDraft(undefined), [stored]);
  const patterns = parsePatterns(draft ?? stored);
  const problem = patternsProblem(patterns);
  const changed = draft !== undefined && patterns.join('\n') !== stored;
  const save = () => {
    if (!changed || problem !== undefined) return;
    void saver.save('Excludes', { sync: { excludes: patterns } }).then((done) => {
      if (done) setDraft(undefined);
    });
  };
  return (
    <>
      <Card title="Excludes">
        <div className={styles['form']}>
          <div
            className={styles['wide']}
            onBlur={save}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
            }}
          >
            <TextArea
              label="Files that are not synced"
              mono
              rows={Math.min(20, Math.max(8, patterns.length + 2))}
              value={draft ?? stored}
              onChange={setDraft}
              error={problem}
              hint="One pattern a line, as in a .gitignore. New sessions begin with these; the start form may change them for one. Saved when you leave the field."
            />
          </div>
          <div className={styles['actions']}>
            <Button
              small
              disabledReason={stored === '.git/' ? 'These are the defaults.' : undefined}
              onClick={() => {
                setDraft(undefined);
                void saver.save('Excludes', { sync: { excludes: null } });
              }}
            >
              Reset to Defaults
            </Button>
          </div>
        </div>
      </Card>
      <Card title="Trash">
        <p className={styles['muted']}>
          What a sync replaces or deletes on this machine is kept for 7 days, up to 2 GiB for each pair of
          folders. A session’s Sync tab lists it and puts it back. In the container the last 256 MiB are kept
          while the session runs.
        </p>
      </Card>
    </>
  );
}
