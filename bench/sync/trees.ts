import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file as it is to be on the other side. */
export interface ExpectedFile {
  readonly path: string;
  readonly content: Buffer;
}

const stockBytes = 1024 * 1024;
const words =
  'const let return import export function async await string number readonly private if else for of new this null true false options result value path name entry index length map filter push => { } ( ) ; = . , /** */ // '.split(
    ' ',
  );

/** Text with about the repetition of a program's sources; the same on every run. */
const stock = (() => {
  const next = random(7);
  let text = '';
  while (text.length < stockBytes) {
    text += next() < 0.1 ? `\n${' '.repeat(2 * Math.floor(next() * 5))}` : ' ';
    text +=
      next() < 0.25
        ? Math.floor(next() * 1e6).toString(36)
        : (words[Math.floor(next() * words.length)] ?? '');
  }
  return Buffer.from(text).subarray(0, stockBytes);
})();

/** Numbers from 0 to 1 that are the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Text that no other seed has. */
export function textOf(seed: number, bytes: number): Buffer {
  const head = Buffer.from(`// ${seed}\n`);
  const start = Math.floor(random(seed)() * (stockBytes - bytes));
  return Buffer.concat([head, stock.subarray(start, start + bytes)]).subarray(0, bytes);
}

/** Names and contents of many files in folders of twenty, with sizes from a quarter to seven quarters of the mean. */
export function manyFiles(options: {
  readonly count: number;
  readonly bytes: number;
  readonly below?: string;
  readonly seed?: number;
}): readonly ExpectedFile[] {
  const { count, bytes, below = '', seed = 1 } = options;
  const mean = bytes / count;
  const sizes = random(seed);
  return Array.from({ length: count }, (_, index) => ({
    path: `${below}area-${Math.floor(index / 400)}/part-${Math.floor(index / 20) % 20}/file-${index}.ts`,
    content: textOf(seed * 1_000_003 + index, Math.round(mean * (0.25 + 1.5 * sizes()))),
  }));
}

/** The same files with other contents, each as long as before. */
export function rewritten(files: readonly ExpectedFile[], version: number): readonly ExpectedFile[] {
  return files.map(({ path, content }, index) => ({
    path,
    content: textOf(version * 7_000_003 + index, content.length),
  }));
}

export function writeFiles(root: string, files: readonly ExpectedFile[]): void {
  let made = '';
  for (const { path, content } of files) {
    const full = join(root, path);
    const folder = dirname(full);
    if (folder !== made) mkdirSync(folder, { recursive: true });
    made = folder;
    writeFileSync(full, content);
  }
}
