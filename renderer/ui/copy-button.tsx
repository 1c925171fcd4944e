import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import { IconButton } from './icon-button.tsx';

/** How long the button says that it has copied, in milliseconds. */
const shownFor = 1500;

/** Puts a text into the clipboard, and says so where it was pressed. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'refused'>('no');
  useEffect(() => {
    if (copied === 'no') return undefined;
    const timer = setTimeout(() => setCopied('no'), shownFor);
    return () => clearTimeout(timer);
  }, [copied]);
  const said = { no: '', yes: 'Copied', refused: 'The clipboard is closed to this page' }[copied];
  return (
    <>
      <IconButton
        small
        label={said === '' ? label : said}
        icon={copied === 'yes' ? <Check /> : <Copy />}
        onClick={() => {
          void copyText(text).then((done) => setCopied(done ? 'yes' : 'refused'));
        }}
      />
      <span className="hidden-visually" role="status">
        {said}
      </span>
    </>
  );
}
