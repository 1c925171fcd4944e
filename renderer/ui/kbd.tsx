import { chordText } from './chord-text.ts';
import styles from './kbd.module.css';

/** A chord like `Mod+Shift+P`, as the keys of this machine are called. */
export function Kbd({ chord }: { readonly chord: string }) {
  return <kbd className={styles['kbd']}>{chordText(chord, isMac())}</kbd>;
}

function isMac(): boolean {
  return navigator.userAgent.includes('Mac');
}
