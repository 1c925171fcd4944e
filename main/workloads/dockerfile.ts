import { posix } from 'node:path';

/** What a Dockerfile says about where its context's files go in the image. */
export interface DockerfilePlaces {
  /** The last stage's working folder, absolute. */
  readonly workingFolder: string | undefined;
  /** Where the whole context is copied to in the last stage, absolute. */
  readonly contextCopiedTo: string | undefined;
}

/** Reads the last stage. Variables are not expanded: what depends on one is not known. */
export function dockerfilePlaces(text: string): DockerfilePlaces {
  let workingFolder: string | undefined;
  let contextCopiedTo: string | undefined;
  for (const line of logicalLines(text)) {
    const [, word = '', rest = ''] = /^\s*(\w+)\s+(.*)$/.exec(line) ?? [];
    switch (word.toUpperCase()) {
      case 'FROM':
        workingFolder = contextCopiedTo = undefined;
        break;
      case 'WORKDIR':
        workingFolder = resolved(workingFolder, unquoted(rest.trim()));
        break;
      case 'COPY':
      case 'ADD': {
        const to = contextTarget(rest);
        if (to !== undefined) contextCopiedTo = resolved(workingFolder, to);
        break;
      }
    }
  }
  return { workingFolder, contextCopiedTo };
}

/** Where `COPY . /app` and its like put the context; undefined when only parts of it, or another stage, are copied. */
function contextTarget(rest: string): string | undefined {
  if (/--from[=\s]/.test(rest)) return undefined;
  const words = rest.trim().startsWith('[')
    ? wordsOfArray(rest)
    : rest
        .trim()
        .split(/\s+/)
        .filter((word) => !word.startsWith('--'))
        .map(unquoted);
  const [from, to] = words;
  if (words.length !== 2 || from === undefined || to === undefined) return undefined;
  return /^\.?\/?$/.test(from) ? to : undefined;
}

function wordsOfArray(text: string): readonly string[] {
  try {
    const words: unknown = JSON.parse(text.trim());
    return Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
  } catch {
    return [];
  }
}

function resolved(base: string | undefined, path: string): string | undefined {
  if (path.includes('$')) return undefined;
  if (path.startsWith('/')) return trimmed(posix.normalize(path));
  return base === undefined ? undefined : trimmed(posix.join(base, path));
}

function trimmed(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

function unquoted(word: string): string {
  return /^(["']).*\1$/.test(word) ? word.slice(1, -1) : word;
}

function logicalLines(text: string): readonly string[] {
  return text
    .replace(/\\[ \t]*\r?\n/g, ' ')
    .split(/\r?\n/)
    .filter((line) => !/^\s*(#|$)/.test(line));
}
