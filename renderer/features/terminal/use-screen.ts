import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import type { ErrorValue } from '../../../contract/errors.ts';
import type { Settings } from '../../../contract/settings.ts';
import type { TerminalSize } from '../../../contract/terminals.ts';
import { useClient, useConnection, type Client } from '../../ipc/client.ts';
import { aheadMessages, OutputFlow } from './output-flow.ts';
import { TerminalScreen } from './terminal-screen.ts';

/** Longest piece of input in one message, in bytes; a longer paste goes in several. */
const inputBytes = 64 * 1024;
const interrupt = 0x03;

export interface Matches {
  readonly index: number;
  readonly count: number;
}

/** A screen in the page and its connection to a shell. */
export interface ShownShell {
  /** Where the screen is to be. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly screen: RefObject<TerminalScreen | undefined>;
  readonly hovered: string | undefined;
  readonly chosen: string | undefined;
  readonly pasted: string | undefined;
  readonly finding: boolean;
  readonly matches: Matches | undefined;
  /** Why nothing is shown any more, though the shell may go on. */
  readonly detached: ErrorValue | undefined;
  attach(): void;
  setChosen(link: string | undefined): void;
  setPasted(text: string | undefined): void;
  setFinding(finding: boolean): void;
}

/** Shows a shell as long as the component is there, and again when the connection to main is back. */
export function useScreen(terminal: string, settings: Settings | undefined): ShownShell {
  const client = useClient();
  const connected = useConnection() !== 'lost';
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<TerminalScreen | undefined>(undefined);
  const attachment = useRef<Attachment | undefined>(undefined);
  const [hovered, setHovered] = useState<string | undefined>(undefined);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [pasted, setPasted] = useState<string | undefined>(undefined);
  const [finding, setFinding] = useState(false);
  const [matches, setMatches] = useState<Matches | undefined>(undefined);
  const [detached, setDetached] = useState<ErrorValue | undefined>(undefined);
  const [attempt, setAttempt] = useState(0);
  const ready = settings !== undefined;

  useEffect(() => {
    if (box.current === null || settings === undefined) return undefined;
    const created = new TerminalScreen(box.current, settings, {
      onInput: (bytes) => attachment.current?.type(bytes),
      onResize: (size) => attachment.current?.resize(size),
      onPaste: setPasted,
      onHover: setHovered,
      onLink: setChosen,
      onFind: () => setFinding(true),
      onMatches: setMatches,
    });
    screen.current = created;
    return () => {
      screen.current = undefined;
      created[Symbol.dispose]();
    };
    // The screen lives through changes of the settings, which are applied below.
  }, [ready]);

  useEffect(() => {
    if (settings !== undefined) screen.current?.apply(settings);
  }, [settings]);

  useEffect(() => {
    if (screen.current === undefined || !connected) return undefined;
    setDetached(undefined);
    const attached = attachShell(client, terminal, screen.current, setDetached);
    attachment.current = attached;
    return () => {
      attachment.current = undefined;
      attached.close();
    };
  }, [client, terminal, connected, ready, attempt]);

  const attach = useCallback(() => setAttempt((before) => before + 1), []);
  useAttachWhenSeen(detached !== undefined, attach);
  return {
    ...{ box, screen, hovered, chosen, pasted, finding, matches, detached },
    ...{ attach, setChosen, setPasted, setFinding },
  };
}

/** A page that was hidden paints nothing, and may have been let go for that. */
function useAttachWhenSeen(detached: boolean, attach: () => void): void {
  useEffect(() => {
    if (!detached) return undefined;
    const onSeen = (): void => {
      if (!document.hidden) attach();
    };
    document.addEventListener('visibilitychange', onSeen);
    return () => document.removeEventListener('visibilitychange', onSeen);
  }, [detached, attach]);
}

interface Attachment {
  type(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  close(): void;
}

function attachShell(
  client: Client,
  terminal: string,
  screen: TerminalScreen,
  onDetached: (error: ErrorValue) => void,
): Attachment {
  screen.reset();
  const flow = new OutputFlow(screen, (amount) => stream.grant(amount));
  const stream = client.open(
    'terminals.attach',
    { terminal },
    {
      credit: aheadMessages,
      onMessage: (message) => flow.take(message),
      onEnd: () => undefined,
      onError: onDetached,
    },
  );
  stream.send({ size: screen.size });
  return {
    type(bytes) {
      // The screen answers what programs asked long ago as well; those have had their answers.
      if (flow.replaying) return;
      for (let start = 0; start < bytes.length; start += inputBytes)
        stream.send(bytes.slice(start, start + inputBytes));
      // Only now, so that main knows of it before it may send more.
      if (bytes.includes(interrupt)) flow.interrupt();
    },
    resize: (size) => stream.send({ size }),
    close: () => {
      flow[Symbol.dispose]();
      stream.close();
    },
  };
}
