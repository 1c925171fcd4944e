import { Fragment, useState } from 'react';
import styles from './text.module.css';
import { cut, mostCharacters, shownCharacters, visibleParts } from './visible-text.ts';

interface TextProps {
  readonly value: string;
  /** Tabs and line feeds are shown as such. */
  readonly lines?: boolean | undefined;
  /** In the font of code. */
  readonly mono?: boolean | undefined;
  /** Characters before "Show All". */
  readonly most?: number | undefined;
}

/**
 * Text from a cluster, a container or a repository. Its direction ends with it, what cannot be seen is shown as a
 * mark, and what is long is cut until asked for. Copying it gives the original.
 */
export function Text({ value, lines = false, mono = false, most = shownCharacters }: TextProps) {
  const [all, setAll] = useState(false);
  const shown = cut(value, all ? mostCharacters : most);
  const parts = visibleParts(shown, { lines });
  const altered = parts.some((part) => part.kind === 'mark') || shown.length < value.length;
  return (
    <>
      <bdi
        className={mono ? styles['mono'] : styles['text']}
        data-lines={lines || undefined}
        onCopy={
          altered
            ? (event) => {
                if (!coversAll(event.currentTarget)) return;
                event.preventDefault();
                event.clipboardData.setData('text/plain', value);
              }
            : undefined
        }
      >
        {parts.map((part, index) =>
          part.kind === 'plain' ? (
            <Fragment key={index}>{part.text}</Fragment>
          ) : (
            <span key={index} className={styles['mark']}>
              {part.text}
            </span>
          ),
        )}
        {shown.length < value.length ? '…' : null}
      </bdi>
      {value.length > most && !(all && shown.length < value.length) ? (
        <button
          type="button"
          className={styles['more']}
          data-more
          aria-expanded={all}
          onClick={(event) => {
            event.stopPropagation();
            setAll(!all);
          }}
        >
          {all ? 'Show Less' : `Show All (${value.length.toLocaleString()} Characters)`}
        </button>
      ) : null}
    </>
  );
}

/** Whether the whole element is selected, so that copying means the text and not a part of it. */
function coversAll(element: HTMLElement): boolean {
  const selection = element.ownerDocument.getSelection();
  if (selection === null || selection.rangeCount === 0) return false;
  return selection.toString().trim() === element.innerText.trim();
}
