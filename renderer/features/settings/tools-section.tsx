import { Check, RotateCw, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Doctor } from '../../../contract/settings.ts';
import { useAction } from '../../ipc/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Text } from '../../ui/text.tsx';
import styles from './settings.module.css';

/** Programs that sign in to clusters or that Slipway would use, and where they are looked for. */
export function ToolsSection() {
  const { run, pending, error } = useAction();
  const [doctor, setDoctor] = useState<Doctor>();
  const look = () =>
    void run('settings.doctor', {}).then((found) => {
      if (found !== undefined) setDoctor(found);
    });
  useEffect(look, [run]);
  return (
    <>
      <div className={styles['actions']}>
        <p className={styles['intro']}>
          An app that was not started from a terminal often has another PATH than your terminal. This is what
          Slipway sees.
        </p>
        <Button icon={<RotateCw />} onClick={look} pending={pending}>
          Look Again
        </Button>
      </div>
      {error === undefined ? null : <ErrorBox error={error} onRetry={look} />}
      {doctor === undefined && error === undefined ? <Skeleton /> : null}
      {doctor === undefined ? null : (
        <>
          <Card title="Programs" flush>
            <ul className={styles['rows']}>
              {doctor.tools.map((tool) => (
                <li key={tool.name} className={styles['tool']}>
                  <span className={styles['name']}>
                    <Text value={tool.name} />
                  </span>
                  <div className={styles['names']}>
                    <div className={styles['muted']}>{tool.purpose}</div>
                    {tool.path === undefined ? null : (
                      <div className={styles['path']}>
                        <Text value={tool.path} />
                      </div>
                    )}
                    {tool.problem === undefined ? null : (
                      <div className={styles['problem']}>
                        <Text value={tool.problem} />
                      </div>
                    )}
                  </div>
                  <span>
                    {tool.path === undefined ? (
                      <Badge tone="neutral">Not Found</Badge>
                    ) : (
                      <Text value={tool.version ?? ''} />
                    )}
                  </span>
                </li>
              ))}
            </ul>
          </Card>
          <Card title="Folders of PATH, in Order" aside={<Text value={doctor.loginShell} />} flush>
            <ol className={styles['rows']}>
              {doctor.folders.map((folder, index) => (
                <li key={index} className={styles['folder']}>
                  {folder.exists ? (
                    <Check size="1rem" aria-label="There" />
                  ) : (
                    <X size="1rem" aria-label="Not there" />
                  )}
                  <span className={styles['path']}>
                    <Text value={folder.path} />
                  </span>
                  <span className={styles['faint']}>
                    {folder.from === 'app' ? 'from the app' : 'from the login shell'}
                  </span>
                </li>
              ))}
            </ol>
          </Card>
        </>
      )}
    </>
  );
}
