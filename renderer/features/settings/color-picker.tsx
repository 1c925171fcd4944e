import { useId } from 'react';
import type { ClusterColor } from '../../../contract/settings.ts';
import styles from './settings.module.css';

/** Those of the contract, written again: its file carries the parser of everything that goes to main. */
const colors = [
  'slate',
  'blue',
  'teal',
  'green',
  'amber',
  'orange',
  'red',
  'pink',
  'violet',
] as const satisfies readonly ClusterColor[];

/** A cluster's colour, from those that can be told apart in both themes. */
export function ColorPicker({
  value,
  onChange,
}: {
  readonly value: ClusterColor;
  readonly onChange: (color: ClusterColor) => void;
}) {
  const id = useId();
  return (
    <div className={styles['group']} role="radiogroup" aria-labelledby={id}>
      <span id={id} className={styles['label']}>
        Colour
      </span>
      <div className={styles['swatches']}>
        {colors.map((color) => (
          <label
            key={color}
            className={styles['swatch']}
            style={{ ['--swatch' as string]: `var(--cluster-${color})` }}
            title={titleCase(color)}
          >
            <input
              type="radio"
              name={id}
              aria-label={titleCase(color)}
              checked={color === value}
              onChange={() => onChange(color)}
            />
            <span />
          </label>
        ))}
      </div>
    </div>
  );
}

function titleCase(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
