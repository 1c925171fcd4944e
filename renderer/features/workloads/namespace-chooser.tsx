import { Popover } from '@base-ui/react/popover';
import { ChevronDown, Plus } from 'lucide-react';
import { useState } from 'react';
import { useRemote } from '../../ipc/client.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import popup from '../../ui/popup.module.css';
import { Text } from '../../ui/text.tsx';
import { TextField } from '../../ui/text-field.tsx';
import styles from './workloads.module.css';

/** Names that are listed; more are found by typing. */
const mostShown = 300;

interface NamespaceChooserProps {
  readonly cluster: string;
  /** None means all. */
  readonly chosen: readonly string[];
  readonly onChange: (namespaces: readonly string[]) => void;
}

/** Which namespaces are shown: one, several or all; one that may not be listed can be typed. */
export function NamespaceChooser({ cluster, chosen, onChange }: NamespaceChooserProps) {
  const [filter, setFilter] = useState('');
  const { value } = useRemote('clusters.namespaces', { cluster });
  const known = Object.values(value?.items ?? {}).map(({ name }) => name);
  const names = [...new Set([...known, ...chosen])].sort((a, b) => a.localeCompare(b));
  const text = filter.trim().toLowerCase();
  const shown = names.filter((name) => name.includes(text)).slice(0, mostShown);
  const canAdd = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text) && !names.includes(text);
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((item) => item !== name) : [...chosen, name].sort());
  const label =
    chosen.length === 0
      ? 'All namespaces'
      : chosen.length === 1
        ? (chosen[0] ?? '')
        : `${chosen.length} namespaces`;
  return (
    <Popover.Root
      onOpenChange={(open) => {
        if (open) setFilter('');
      }}
    >
      <Popover.Trigger className={styles['chooser']}>
        <span className={styles['chooserLabel']}>Namespace</span>{' '}
        <span className={styles['chooserValue']}>
          <Text value={label} />
        </span>
        <ChevronDown aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={popup['positioner']} sideOffset={4} align="end" collisionPadding={8}>
          <Popover.Popup
            className={`${popup['popup'] ?? ''} ${styles['chooserPopup'] ?? ''}`}
            aria-label="Namespaces"
          >
            <TextField
              label="Find a namespace"
              hideLabel
              placeholder="Find or type a namespace"
              value={filter}
              onChange={setFilter}
              onKeyDown={(event) => {
                const [only] = shown;
                if (event.key !== 'Enter') return;
                if (canAdd && shown.length === 0) onChange([text]);
                else if (only !== undefined) onChange([only]);
              }}
            />
            <div className={styles['chooserList']} role="group" aria-label="Namespaces">
              <Checkbox label="All namespaces" checked={chosen.length === 0} onChange={() => onChange([])} />
              {shown.map((name) => (
                <Checkbox
                  key={name}
                  label={<Text value={name} />}
                  checked={chosen.includes(name)}
                  onChange={() => toggle(name)}
                />
              ))}
            </div>
            {canAdd ? (
              <Button
                kind="quiet"
                small
                icon={<Plus aria-hidden />}
                onClick={() => onChange([...chosen, text].sort())}
              >
                {`Use ${text}`}
              </Button>
            ) : null}
            {value?.notes?.map((note) => (
              <p key={note} className={styles['chooserNote']}>
                <Text value={note} />
              </p>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
