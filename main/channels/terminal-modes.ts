const escape = 0x1b;
const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;

/** Modes that programs switch and expect to last, in the order in which they are switched again. */
const lastingModes: readonly number[] = [
  1049, 1047, 47, 1, 7, 25, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004,
];
const onByDefault: ReadonlySet<number> = new Set([7, 25]);
/** Longest parameters of a control sequence that are looked at. */
const maximumParameters = 64;

type Place = 'text' | 'escape' | 'control' | 'command' | 'string' | 'string-escape';

/**
 * Back to how a shell expects its terminal, for when a full-screen program has been cut off. Not by 1049, which would
 * also put the cursor where no program has left it.
 */
export const resetModes =
  '\x1b[?1047l\x1b[?1l\x1b>\x1b[?7h\x1b[?25h\x1b[?1000;1002;1003;1004;1006;2004l\x1b[0m';

/**
 * Follows what a terminal is told just as far as to know where a sequence ends and which lasting modes are on.
 * What was skipped over can then be stood for by a few bytes.
 */
export class TerminalModes {
  #place: Place = 'text';
  #parameters = '';
  #switched = new Map<number, boolean>();
  #applicationKeypad = false;

  /** Whether a program has taken the whole screen. */
  get fullScreen(): boolean {
    return [1049, 1047, 47].some((mode) => this.#switched.get(mode) === true);
  }

  copy(): TerminalModes {
    const copy = new TerminalModes();
    copy.#place = this.#place;
    copy.#parameters = this.#parameters;
    copy.#switched = new Map(this.#switched);
    copy.#applicationKeypad = this.#applicationKeypad;
    return copy;
  }

  /** Goes over all bytes. */
  skip(bytes: Uint8Array): void {
    let index = 0;
    while (index < bytes.length) {
      if (this.#place === 'text') {
        index = bytes.indexOf(escape, index);
        if (index < 0) return;
      }
      this.#step(bytes[index] ?? 0);
      index += 1;
    }
  }

  /** The first index at which neither a sequence nor a character is torn; the length when there is none. */
  skipToBoundary(bytes: Uint8Array): number {
    let index = 0;
    while (index < bytes.length && this.#place !== 'text') {
      this.#step(bytes[index] ?? 0);
      index += 1;
    }
    while (index < bytes.length && isContinuation(bytes[index] ?? 0)) index += 1;
    return index;
  }

  /** What brings a fresh terminal into the present modes. */
  prefix(): string {
    const modes = lastingModes
      .filter((mode) => this.#switched.get(mode) === !onByDefault.has(mode))
      .map((mode) => `\x1b[?${mode}${onByDefault.has(mode) ? 'l' : 'h'}`);
    return `${modes.join('')}${this.#applicationKeypad ? '\x1b=' : ''}`;
  }

  #step(byte: number): void {
    if (byte === cancel || byte === substitute) this.#place = 'text';
    else if (byte === escape) this.#onEscape();
    else if (this.#place === 'escape' || this.#place === 'string-escape') this.#onEscaped(byte);
    else if (this.#place === 'control') this.#onControl(byte);
    // Only a command may end with a bell; the other strings need their terminator.
    else if (this.#place === 'command' && byte === bell) this.#place = 'text';
  }

  #onEscape(): void {
    this.#place = this.#place === 'string' || this.#place === 'command' ? 'string-escape' : 'escape';
  }

  #onEscaped(byte: number): void {
    if (byte >= 0x20 && byte <= 0x2f) return;
    this.#place = 'text';
    const letter = String.fromCharCode(byte);
    if (letter === '[') {
      this.#place = 'control';
      this.#parameters = '';
    } else if (letter === ']') this.#place = 'command';
    else if ('PX^_'.includes(letter)) this.#place = 'string';
    else if (letter === 'c') this.#reset();
    else if (letter === '=' || letter === '>') this.#applicationKeypad = letter === '=';
  }

  #onControl(byte: number): void {
    if (byte < 0x20) return;
    if (byte < 0x40) {
      if (this.#parameters.length < maximumParameters) this.#parameters += String.fromCharCode(byte);
      return;
    }
    this.#place = 'text';
    const letter = String.fromCharCode(byte);
    if (letter === 'p' && this.#parameters === '!') this.#reset();
    if ((letter !== 'h' && letter !== 'l') || !this.#parameters.startsWith('?')) return;
    for (const text of this.#parameters.slice(1).split(';')) {
      const mode = Number(text);
      if (lastingModes.includes(mode)) this.#switched.set(mode, letter === 'h');
    }
  }

  #reset(): void {
    this.#switched.clear();
    this.#applicationKeypad = false;
  }
}

/** A byte inside a character of UTF-8, not its first one. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
