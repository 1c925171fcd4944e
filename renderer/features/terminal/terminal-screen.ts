import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { WebglAddon } from '@xterm/addon-webgl';
import { Terminal as Xterm, type ITheme } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import './ansi.css';
import type { Settings } from '../../../contract/settings.ts';
import type { TerminalSize } from '../../../contract/terminals.ts';
import { copyText } from '../../ui/copy-text.ts';
import { pasteText } from './paste-text.ts';
import { isOurChord } from './terminal-keys.ts';

/** How long the size has to stay the same before the shell is told. */
const settleMs = 80;

export interface ScreenEvents {
  /** What was typed, or what the screen answers a program. */
  readonly onInput: (bytes: Uint8Array) => void;
  readonly onResize: (size: TerminalSize) => void;
  readonly onPaste: (text: string) => void;
  /** The pointer is on a link, or on none any more. */
  readonly onHover: (link: string | undefined) => void;
  /** The link was chosen. */
  readonly onLink: (link: string) => void;
  readonly onFind: () => void;
  readonly onMatches: (matches: { readonly index: number; readonly count: number }) => void;
}

/** A screen for one shell, in an element of the page. What the shell prints can only draw on it. */
export class TerminalScreen implements Disposable {
  readonly #xterm: Xterm;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon();
  readonly #element: HTMLElement;
  readonly #events: ScreenEvents;
  readonly #stops: (() => void)[] = [];
  #webgl: WebglAddon | undefined;
  #settle: ReturnType<typeof setTimeout> | undefined;
  #copyOnSelect = false;

  constructor(element: HTMLElement, settings: Settings, events: ScreenEvents) {
    this.#element = element;
    this.#events = events;
    this.#xterm = new Xterm({
      allowProposedApi: true,
      cursorBlink: false,
      drawBoldTextInBrightColors: false,
      fontFamily: fontFamily(),
      // What a program prints is not the window's mistake, and a console keeps each word of noise.
      logLevel: 'off',
      minimumContrastRatio: 4.5,
      rescaleOverlappingGlyphs: true,
      theme: themeOf(element),
      linkHandler: {
        allowNonHttpProtocols: false,
        activate: (event, text) => this.#choose(event, text),
        hover: (_event, text) => events.onHover(text),
        leave: () => events.onHover(undefined),
      },
    });
    this.apply(settings);
    this.#load();
    this.#xterm.open(element);
    this.#useWebgl();
    refuseSideEffects(this.#xterm);
    this.#connect();
    this.#fitNow();
  }

  get size(): TerminalSize {
    return { columns: this.#xterm.cols, rows: this.#xterm.rows };
  }

  get bracketedPaste(): boolean {
    return this.#xterm.modes.bracketedPasteMode;
  }

  write(bytes: Uint8Array, shown: () => void): void {
    this.#xterm.write(bytes, shown);
  }

  /** Empty, for a shell that is shown from the beginning of its replay. */
  reset(): void {
    this.#xterm.reset();
  }

  focus(): void {
    this.#xterm.focus();
  }

  paste(text: string): void {
    this.#xterm.paste(text);
  }

  /** Puts what is selected into the clipboard; false when nothing is. */
  copy(): boolean {
    const text = this.#xterm.getSelection();
    if (text === '') return false;
    void copyText(text);
    return true;
  }

  find(text: string, direction: 1 | -1, incremental: boolean): void {
    const options = { incremental, decorations: searchColors(this.#element) };
    if (direction === 1) this.#search.findNext(text, options);
    else this.#search.findPrevious(text, options);
  }

  endFind(): void {
    this.#search.clearDecorations();
    this.#xterm.clearSelection();
  }

  apply({ terminal, zoom }: Settings): void {
    this.#xterm.options.fontSize = terminal.fontSize * zoom;
    this.#xterm.options.scrollback = terminal.scrollbackLines;
    this.#xterm.options.screenReaderMode = terminal.screenReader;
    this.#copyOnSelect = terminal.copyOnSelect;
    if (this.#xterm.element !== undefined) this.#fitNow();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#settle);
    for (const stop of this.#stops.reverse()) stop();
    this.#xterm.dispose();
  }

  #load(): void {
    this.#xterm.loadAddon(this.#fit);
    this.#xterm.loadAddon(this.#search);
    this.#xterm.loadAddon(new Unicode11Addon());
    this.#xterm.unicode.activeVersion = '11';
    this.#xterm.loadAddon(
      new WebLinksAddon((event, text) => this.#choose(event, text), {
        hover: (_event, text) => this.#events.onHover(text),
        leave: () => this.#events.onHover(undefined),
      }),
    );
  }

  /** Drawn by the graphics card where there is one; by the page's own elements otherwise, and when it is lost. */
  #useWebgl(): void {
    if (!hasGraphicsCard()) return;
    try {
      const webgl = new WebglAddon();
      webgl.onContextLoss(() => {
        webgl.dispose();
        this.#webgl = undefined;
      });
      this.#xterm.loadAddon(webgl);
      this.#webgl = webgl;
    } catch {
      this.#webgl = undefined;
    }
  }

  #connect(): void {
    const { onInput, onMatches } = this.#events;
    const encoder = new TextEncoder();
    this.#xterm.onData((text) => onInput(encoder.encode(text)));
    this.#xterm.onBinary((text) => onInput(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    this.#xterm.attachCustomKeyEventHandler((event) => this.#onKey(event));
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      onMatches({ index: resultIndex, count: resultCount }),
    );
    this.#xterm.onSelectionChange(() => {
      if (this.#copyOnSelect) this.copy();
    });
    const onPaste = (event: ClipboardEvent): void => {
      event.preventDefault();
      event.stopPropagation();
      const text = pasteText(event.clipboardData?.getData('text/plain') ?? '');
      if (text !== '') this.#events.onPaste(text);
    };
    // Before the terminal's own listener, which would send it without asking.
    this.#element.addEventListener('paste', onPaste, { capture: true });
    this.#stops.push(() => this.#element.removeEventListener('paste', onPaste, { capture: true }));
    // Of several windows on one shell, the one that is used has its size.
    const onFocus = (): void => this.#events.onResize(this.size);
    this.#element.addEventListener('focusin', onFocus);
    this.#stops.push(() => this.#element.removeEventListener('focusin', onFocus));
    const resized = new ResizeObserver(() => this.#fitSoon());
    resized.observe(this.#element);
    this.#stops.push(() => resized.disconnect());
    const themed = new MutationObserver(() => {
      this.#xterm.options.theme = themeOf(this.#element);
    });
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#stops.push(() => themed.disconnect());
    // Letters are measured once; those of the page's font may come later.
    void document.fonts.load(`1em ${fontFamily()}`).then(() => {
      if (this.#xterm.element === undefined) return;
      this.#webgl?.clearTextureAtlas();
      this.#xterm.options.fontFamily = `${fontFamily()}, monospace`;
      this.#fitNow();
    });
  }

  #onKey(event: KeyboardEvent): boolean {
    if (!isOurChord(event)) return true;
    if (event.type !== 'keydown') return false;
    const key = event.key.toLowerCase();
    if (key === 'c') {
      event.preventDefault();
      this.copy();
    } else if (key === 'f') {
      event.preventDefault();
      this.#events.onFind();
    }
    // The page pastes by itself, and all other chords are for whoever listens further out.
    return false;
  }

  #choose(event: MouseEvent, link: string): void {
    if (event.ctrlKey || event.metaKey) this.#events.onLink(link);
  }

  #fitSoon(): void {
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => this.#fitNow(), settleMs);
  }

  #fitNow(): void {
    const proposed = this.#fit.proposeDimensions();
    // Hidden: it has no size.
    if (proposed === undefined || !(proposed.cols >= 2) || !(proposed.rows >= 1)) return;
    const columns = Math.min(proposed.cols, 1000);
    const rows = Math.min(proposed.rows, 1000);
    if (columns === this.#xterm.cols && rows === this.#xterm.rows) return;
    this.#xterm.resize(columns, rows);
    this.#events.onResize({ columns, rows });
  }
}

/**
 * What a program may not do with a screen: change the colours for good, or have answers from a window that is not
 * the one in use (each window on the shell would answer). Clipboard, titles, notifications and window moves have no
 * handler at all.
 */
function refuseSideEffects(xterm: Xterm): void {
  const inUse = (): boolean => document.hasFocus() && document.activeElement === xterm.textarea;
  for (const command of [4, 10, 11, 12])
    xterm.parser.registerOscHandler(command, (data) => !data.endsWith('?') || !inUse());
  for (const command of [104, 110, 111, 112]) xterm.parser.registerOscHandler(command, () => true);
  const unlessInUse = (): boolean => !inUse();
  for (const id of [
    { final: 'c' },
    { prefix: '>', final: 'c' },
    { prefix: '=', final: 'c' },
    { final: 'n' },
    { prefix: '?', final: 'n' },
    { intermediates: '$', final: 'p' },
    { prefix: '?', intermediates: '$', final: 'p' },
    { final: 't' },
    { prefix: '>', final: 'q' },
  ])
    xterm.parser.registerCsiHandler(id, unlessInUse);
  xterm.parser.registerDcsHandler({ intermediates: '$', final: 'q' }, unlessInUse);
}

/** A graphics card that is only imitated takes several times as long as the page's own elements. */
function hasGraphicsCard(): boolean {
  const context = document
    .createElement('canvas')
    .getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  const named = context?.getExtension('WEBGL_debug_renderer_info') ?? undefined;
  if (context === null || named === undefined) return false;
  const card = String(context.getParameter(named.UNMASKED_RENDERER_WEBGL));
  context.getExtension('WEBGL_lose_context')?.loseContext();
  // Not every browser counts an imitation as a caveat.
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(card);
}

function fontFamily(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--mono').trim();
}

function color(element: HTMLElement, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim();
}

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** The page's colours as the terminal names them. */
function themeOf(element: HTMLElement): ITheme {
  const ansi = Object.fromEntries(
    names.flatMap((name, index) => [
      [name, color(element, `--ansi-${index}`)],
      [`bright${name.charAt(0).toUpperCase()}${name.slice(1)}`, color(element, `--ansi-${index + 8}`)],
    ]),
  );
  return {
    ...ansi,
    foreground: color(element, '--ansi-ink'),
    background: color(element, '--ansi-paper'),
    cursor: color(element, '--ansi-cursor'),
    cursorAccent: color(element, '--ansi-paper'),
    selectionBackground: color(element, '--ansi-selection'),
    scrollbarSliderBackground: color(element, '--line'),
    scrollbarSliderHoverBackground: color(element, '--line-strong'),
    scrollbarSliderActiveBackground: color(element, '--line-strong'),
  };
}

function searchColors(element: HTMLElement) {
  return {
    matchBackground: color(element, '--ansi-selection'),
    matchOverviewRuler: color(element, '--warn'),
    activeMatchBackground: color(element, '--warn'),
    activeMatchColorOverviewRuler: color(element, '--accent'),
  };
}
