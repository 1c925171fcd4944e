import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useState, type RefObject } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { TerminalScreen } from './terminal-screen.ts';
import styles from './terminal-view.module.css';
import type { Matches } from './use-screen.ts';

/** Finds a text in what a terminal has printed. */
export function FindBar({
  screen,
  matches,
  onClose,
}: {
  readonly screen: RefObject<TerminalScreen | undefined>;
  readonly matches: Matches | undefined;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const find = (wanted: string, direction: 1 | -1, incremental = false): void => {
    if (wanted === '') screen.current?.endFind();
    else screen.current?.find(wanted, direction, incremental);
  };
  const close = (): void => {
    screen.current?.endFind();
    onClose();
    screen.current?.focus();
  };
  return (
    <search className={styles['find']}>
      <TextField
        label="Find in Terminal"
        hideLabel
        placeholder="Find"
        type="search"
        autoFocus
        maxLength={200}
        value={text}
        onChange={(next) => {
          setText(next);
          find(next, -1, true);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          else if (event.key === 'Enter') find(text, event.shiftKey ? 1 : -1);
          else return;
          event.preventDefault();
        }}
      />
      <span className={styles['matches']} role="status">
        {text === '' ? '' : matchText(matches)}
      </span>
      <IconButton small label="Previous Match" icon={<ArrowUp />} onClick={() => find(text, -1)} />
      <IconButton small label="Next Match" icon={<ArrowDown />} onClick={() => find(text, 1)} />
      <IconButton small label="Close Find" icon={<X />} onClick={close} />
    </search>
  );
}

/** The terminal looks no further. */
const mostMatches = 1000;

function matchText(matches: Matches | undefined): string {
  if (matches === undefined || matches.count === 0) return 'None';
  const count = matches.count >= mostMatches ? `${mostMatches}+` : String(matches.count);
  return matches.index < 0 ? count : `${matches.index + 1} of ${count}`;
}
