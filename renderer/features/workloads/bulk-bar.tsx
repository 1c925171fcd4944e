import { Check, Copy, ShieldCheck, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import type { Row } from './rows.ts';
import styles from './workloads.module.css';

/** How long it is said that something was copied, in milliseconds. */
const saidFor = 1500;

interface BulkBarProps {
  readonly shown: number;
  readonly total: number;
  readonly chosen: readonly Row[];
  readonly onPreflight: (row: Row) => void;
  readonly onClear: () => void;
}

/** Below the table: how many there are, and what can be done with those that are selected. */
export function BulkBar({ shown, total, chosen, onPreflight, onClear }: BulkBarProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), saidFor);
    return () => clearTimeout(timer);
  }, [copied]);
  const [only] = chosen;
  const workloads = total === 1 ? '1 workload' : `${total} workloads`;
  const count = shown === total ? workloads : `${shown} of ${workloads}`;
  return (
    <div className={styles['bulk']} role="toolbar" aria-label="Selected workloads">
      <span className={styles['number']} role="status">
        {chosen.length === 0 ? count : `${chosen.length} selected of ${total}`}
      </span>
      {only === undefined ? null : (
        <>
          <Button
            small
            local
            icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />}
            onClick={() => void copyText(chosen.map(referenceOf).join('\n')).then(setCopied)}
          >
            {copied ? 'Copied' : 'Copy Names'}
          </Button>
          <Button
            small
            icon={<ShieldCheck aria-hidden />}
            disabledReason={chosen.length > 1 ? 'Select one workload to see its preflight.' : undefined}
            onClick={() => onPreflight(only)}
          >
            Open Preflight
          </Button>
          <Button small kind="quiet" icon={<X aria-hidden />} onClick={onClear}>
            Clear Selection
          </Button>
        </>
      )}
    </div>
  );
}

/** As kubectl takes it. */
function referenceOf({ kind, name, namespace }: Row): string {
  return `${kind.toLowerCase()}/${name} -n ${namespace}`;
}
