import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';
import { Text } from './text.tsx';

/** Characters shown before "Show All". */
const mostShown = 20_000;

/** Code or a command to read and to copy; `label` names it. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className={styles['block']}>
      <pre className={styles['code']} tabIndex={0} role="region" aria-label={label}>
        <Text value={text} lines mono most={mostShown} />
      </pre>
      <span className={styles['copy']}>
        <CopyButton text={text} label={`Copy ${label}`} />
      </span>
    </div>
  );
}
