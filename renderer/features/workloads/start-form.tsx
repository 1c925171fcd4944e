import { ChevronRight, Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { WorkloadDetail, WorkloadKey } from '../../../contract/workloads.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Select } from '../../ui/select.tsx';
import { Text } from '../../ui/text.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { addedByYou, strategyLabels, type Draft, type DraftProblems } from './draft.ts';
import { FolderField } from './folder-field.tsx';
import { PairRow } from './pair-row.tsx';
import styles from './start-form.module.css';
import type { DetectionState } from './use-plan.ts';

interface StartFormProps {
  readonly workload: WorkloadKey;
  readonly detail: WorkloadDetail;
  readonly draft: Draft;
  readonly onDraft: (change: (draft: Draft) => Draft) => void;
  readonly detection: DetectionState;
  readonly problems: DraftProblems;
}

/** What the user says about a session; what was found out is filled in, with how. */
export function StartForm({ detail, draft, onDraft, detection, problems }: StartFormProps) {
  const containers = detail.containers.map(({ name }) => name);
  const found = detection.detection;
  const set = (change: Partial<Draft>) => onDraft((before) => ({ ...before, ...change }));
  const touch = (field: 'containerPath' | 'excludes' | 'ports', change: Partial<Draft>) =>
    onDraft((before) => ({ ...before, ...change, touched: new Set([...before.touched, field]) }));
  return (
    <form className={styles['form']} onSubmit={(event) => event.preventDefault()} aria-label="Session">
      <Card title="Folder and container">
        <FolderField
          value={draft.folder}
          onChange={(folder) => set({ folder, touched: new Set() })}
          error={
            detection.error === undefined ? undefined : `${detection.error.message} ${detection.error.next}`
          }
          hint={folderHint(detection)}
        />
        {containers.length > 1 ? (
          <Select
            label="Container"
            value={draft.container || (containers[0] ?? '')}
            options={containers.map((name) => ({ value: name, label: name }))}
            onChange={(container) => set({ container })}
          />
        ) : null}
        <TextField
          label="Folder in the container"
          mono
          placeholder="/app"
          value={draft.containerPath}
          onChange={(containerPath) => touch('containerPath', { containerPath })}
          error={problems.containerPath}
          hint={<Text value={containerPathHint(draft, found)} />}
        />
        <Checkbox
          label="Create it when it is missing"
          checked={draft.createPath}
          onChange={(createPath) => set({ createPath })}
        />
      </Card>
      <Ports draft={draft} problem={problems.ports} onChange={(ports) => touch('ports', { ports })} />
      <Excludes draft={draft} onChange={(excludes) => touch('excludes', { excludes })} />
      <Card title="Process">
        <TextField
          label="Command"
          mono
          placeholder="as in the workload"
          value={draft.command}
          maxLength={8192}
          onChange={(command) => set({ command })}
          hint="A line for the container's shell, or a JSON array. Empty keeps what the workload runs."
        />
        {found?.command === undefined || draft.command.trim() === found.command.value ? null : (
          <div className={styles['suggestion']}>
            <Button
              small
              icon={<ChevronRight aria-hidden />}
              local
              onClick={() => set({ command: found.command?.value ?? '' })}
            >
              {`Use ${found.command.value}`}
            </Button>
            <span className={styles['why']}>
              <Text value={found.command.why} />
            </span>
          </div>
        )}
        <More draft={draft} set={set} problem={problems.env} />
      </Card>
    </form>
  );
}

/** How it was found out, or why it was not. */
function containerPathHint(draft: Draft, found: DetectionState['detection']): string {
  const path = found?.containerPath;
  if (path !== undefined && path.value === draft.containerPath) return `Filled in because ${path.why}.`;
  const plain = 'From the root, like /app.';
  return found?.blind === undefined ? plain : `${found.blind} Say it yourself: from the root, like /app.`;
}

function folderHint({ detection, pending }: DetectionState) {
  if (pending) return 'Looking at it…';
  if (detection === undefined) return 'Your project on this machine.';
  const parts = [
    detection.language === undefined
      ? 'No language was recognised.'
      : `${detection.language.value}: ${detection.language.why}.`,
    ...(detection.devspaceConfig ? ['It has a devspace.yaml, which is not read here.'] : []),
  ];
  return <Text value={parts.join(' ')} />;
}

function Ports({
  draft,
  problem,
  onChange,
}: {
  readonly draft: Draft;
  readonly problem: string | undefined;
  readonly onChange: (ports: Draft['ports']) => void;
}) {
  const change = (index: number, part: Partial<Draft['ports'][number]>) =>
    onChange(draft.ports.map((port, place) => (place === index ? { ...port, ...part } : port)));
  return (
    <Card
      title="Ports"
      aside={
        <Button
          small
          kind="quiet"
          icon={<Plus aria-hidden />}
          onClick={() => onChange([...draft.ports, { local: '', remote: '', why: addedByYou }])}
        >
          Add Port
        </Button>
      }
    >
      {draft.ports.length === 0 ? <p className={styles['none']}>None is forwarded to this machine.</p> : null}
      {draft.ports.map((port, index) => (
        <div key={index} className={styles['ports']}>
          <PairRow
            className={styles['port']}
            first={{
              label: `Local port ${index + 1}`,
              placeholder: 'local',
              value: port.local,
              maxLength: 5,
              onChange: (local) => change(index, { local }),
            }}
            between={<span aria-hidden>→</span>}
            second={{
              label: `Port in the container ${index + 1}`,
              placeholder: 'container',
              value: port.remote,
              maxLength: 5,
              onChange: (remote) => change(index, { remote }),
            }}
            why={
              <span className={styles['why']}>
                <Text value={port.why} />
              </span>
            }
            removeLabel={`Remove port ${port.local || index + 1}`}
            onRemove={() => onChange(draft.ports.filter((_, place) => place !== index))}
          />
        </div>
      ))}
      {problem === undefined ? null : (
        <p className={styles['problem']} role="alert">
          {problem}
        </p>
      )}
    </Card>
  );
}

function Excludes({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (excludes: Draft['excludes']) => void;
}) {
  const [pattern, setPattern] = useState('');
  const add = () => {
    const value = pattern.trim();
    if (value === '' || draft.excludes.some((known) => known.value === value)) return;
    onChange([...draft.excludes, { value, why: addedByYou }]);
    setPattern('');
  };
  return (
    <Card
      title="Never synced"
      aside={draft.excludes.length === 0 ? undefined : String(draft.excludes.length)}
    >
      {draft.excludes.length === 0 ? (
        <p className={styles['none']}>Everything in the folder is synced.</p>
      ) : null}
      <ul className={styles['excludes']} hidden={draft.excludes.length === 0}>
        {draft.excludes.map(({ value, why }, index) => (
          <li key={value} className={styles['exclude']}>
            <span className={styles['excludeText']}>
              <span className={styles['pattern']}>
                <Text value={value} mono most={120} />
              </span>
              <span className={styles['why']}>
                <Text value={why} />
              </span>
            </span>
            <IconButton
              small
              label={`Sync ${value}`}
              icon={<X />}
              onClick={() => onChange(draft.excludes.filter((_, place) => place !== index))}
            />
          </li>
        ))}
      </ul>
      <div className={styles['add']}>
        <TextField
          label="Pattern to leave out"
          hideLabel
          mono
          placeholder="Another pattern, as in a .gitignore"
          value={pattern}
          maxLength={1024}
          onChange={setPattern}
          onKeyDown={(event) => {
            if (event.key === 'Enter') add();
          }}
        />
        <Button small local icon={<Plus aria-hidden />} disabled={pattern.trim() === ''} onClick={add}>
          Add
        </Button>
      </div>
    </Card>
  );
}

function More({
  draft,
  set,
  problem,
}: {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  readonly problem: string | undefined;
}) {
  const change = (index: number, part: Partial<Draft['env'][number]>) =>
    set({ env: draft.env.map((variable, place) => (place === index ? { ...variable, ...part } : variable)) });
  return (
    <details className={styles['more']}>
      <summary>Image, variables, first sync</summary>
      <TextField
        label="Image"
        mono
        placeholder="as in the workload"
        value={draft.image}
        maxLength={1024}
        onChange={(image) => set({ image })}
      />
      <Select
        label="First sync"
        value={draft.strategy}
        options={strategyLabels}
        onChange={(strategy) => set({ strategy })}
      />
      <div className={styles['variables']}>
        <span className={styles['label']}>Variables</span>
        {draft.env.map((variable, index) => (
          <PairRow
            key={index}
            className={styles['variable']}
            first={{
              label: `Name of variable ${index + 1}`,
              placeholder: 'NAME',
              value: variable.name,
              maxLength: 256,
              onChange: (name) => change(index, { name }),
            }}
            second={{
              label: `Value of variable ${index + 1}`,
              placeholder: 'value',
              value: variable.value,
              maxLength: 32_768,
              onChange: (value) => change(index, { value }),
            }}
            removeLabel={`Remove variable ${variable.name || index + 1}`}
            onRemove={() => set({ env: draft.env.filter((_, place) => place !== index) })}
          />
        ))}
        {problem === undefined ? null : (
          <p className={styles['problem']} role="alert">
            {problem}
          </p>
        )}
        <span>
          <Button
            small
            kind="quiet"
            icon={<Plus aria-hidden />}
            onClick={() => set({ env: [...draft.env, { name: '', value: '' }] })}
          >
            Add Variable
          </Button>
        </span>
      </div>
    </details>
  );
}
