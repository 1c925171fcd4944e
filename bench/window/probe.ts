/** What a page tells a benchmark. */
export interface Probe {
  /** When the table of workloads had its first row, in milliseconds since the navigation began. */
  usableAt: number | undefined;
  readonly logs: { lines: number; first: number; last: number; marks: number; gaps: number; doubles: number };
  startFrames(): void;
  /** Milliseconds between the frames since the start. */
  stopFrames(): number[];
  /** Resolves with when the last row of the terminal begins with a text. */
  whenPrompt(text: string): Promise<number>;
  /** Resolves with when some row of the terminal is this text. */
  whenRow(text: string): Promise<number>;
  /** When the latest key was pressed. */
  keyAt: number;
}

/** Runs in the page before its own scripts. Complete in itself: its text is sent to the browser. */
export function installProbe({ token }: { readonly token: string }): void {
  sessionStorage.setItem('slipway.token', token);
  const frames: number[] = [];
  let counting = false;
  let previous = 0;
  const logs: Probe['logs'] = { lines: 0, first: 0, last: 0, marks: 0, gaps: 0, doubles: 0 };
  const probe: Probe = {
    usableAt: undefined,
    logs,
    keyAt: 0,
    startFrames() {
      frames.length = 0;
      counting = true;
      previous = 0;
      const frame = (now: number): void => {
        if (!counting) return;
        if (previous !== 0) frames.push(now - previous);
        previous = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    },
    stopFrames() {
      counting = false;
      return frames;
    },
    whenPrompt: (text) =>
      whenTerminal((rows) => rows.findLast((row) => row !== '')?.startsWith(text) === true),
    whenRow: (text) => whenTerminal((rows) => rows.includes(text)),
  };
  Object.assign(window, { slipwayProbe: probe });

  const lookForRows = (): void => {
    if (document.querySelector('[role="grid"][aria-label="Workloads"] [role="gridcell"]') === null)
      requestAnimationFrame(lookForRows);
    else probe.usableAt = performance.now();
  };
  if (location.hash.startsWith('#/workloads')) requestAnimationFrame(lookForRows);
  addEventListener('keydown', (event) => (probe.keyAt = event.timeStamp), { capture: true });

  /** Right after the frame in which the rows of the terminal are as wanted was painted. */
  function whenTerminal(wanted: (rows: readonly string[]) => boolean): Promise<number> {
    return new Promise((resolve) => {
      const screen = document.querySelector('[data-terminal]');
      const look = (): void => {
        const lines = [...document.querySelectorAll('[data-terminal] .xterm-rows > div')].map((line) =>
          (line.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd(),
        );
        if (!wanted(lines)) return;
        observer.disconnect();
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve(performance.now());
        channel.port2.postMessage(0);
      };
      const observer = new MutationObserver(look);
      observer.observe(screen ?? document.body, { childList: true, subtree: true, characterData: true });
      look();
    });
  }

  // The page reads each frame of JSON once; looking at what it reads costs nearly nothing.
  const parse = JSON.parse.bind(JSON);
  JSON.parse = (text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown => {
    const value: unknown = parse(text, reviver);
    const payload = (value as { payload?: { lines?: unknown } } | null)?.payload;
    if (Array.isArray(payload?.lines)) countLines(payload as Parameters<typeof countLines>[0]);
    return value;
  };
  function countLines(batch: {
    readonly lines: readonly { readonly text: string }[];
    readonly run?: unknown;
    readonly interrupted?: unknown;
  }): void {
    let marked = batch.run !== undefined || batch.interrupted !== undefined;
    if (marked) logs.marks += 1;
    for (const { text } of batch.lines) {
      const number = Number.parseInt(text, 10);
      if (!(number > 0)) continue;
      logs.lines += 1;
      if (logs.first === 0) logs.first = number;
      else if (number <= logs.last) logs.doubles += 1;
      else if (number !== logs.last + 1 && !marked) logs.gaps += 1;
      logs.last = number;
      marked = false;
    }
  }
}
