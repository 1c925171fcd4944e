import type { FolderEntry } from '../../../contract/app.ts';

/** A path as it is typed: the folder that is listed, and the beginning of a name in it. */
export interface TypedPath {
  readonly folder: string;
  readonly start: string;
}

/** Splits at the last separator, so that "/home/an" lists /home and looks for names that begin with "an". */
export function splitTyped(text: string): TypedPath {
  const end = Math.max(text.lastIndexOf('/'), isWindows(text) ? text.lastIndexOf('\\') : -1);
  if (end === -1) return { folder: text === '~' ? '~' : '', start: text === '~' ? '' : text };
  const folder = text.slice(0, end + 1);
  return {
    folder: folder.length > 1 && !isDrive(folder) ? folder.slice(0, -1) : folder,
    start: text.slice(end + 1),
  };
}

/** The path of a folder below another. */
export function below(folder: string, name: string): string {
  const separator = isWindows(folder) ? '\\' : '/';
  return folder.endsWith(separator) ? folder + name : folder + separator + name;
}

/** The folder as text that more can be typed after. */
export function openEnded(folder: string): string {
  const separator = isWindows(folder) ? '\\' : '/';
  return folder.endsWith(separator) ? folder : folder + separator;
}

/** Those that begin with what was typed. Hidden ones only when asked for, or when a dot was typed. */
export function matching(
  entries: readonly FolderEntry[],
  start: string,
  hidden: boolean,
): readonly FolderEntry[] {
  const wanted = start.toLowerCase();
  return entries.filter(
    (entry) =>
      (hidden || !entry.hidden || start.startsWith('.')) && entry.name.toLowerCase().startsWith(wanted),
  );
}

/** What all of them begin with, to complete to; the case of the first one counts. */
export function commonStart(entries: readonly FolderEntry[]): string {
  const [first, ...rest] = entries.map(({ name }) => name);
  if (first === undefined) return '';
  let length = first.length;
  for (const name of rest) {
    while (!name.toLowerCase().startsWith(first.slice(0, length).toLowerCase())) length--;
  }
  return first.slice(0, length);
}

/** The last part of a path, for people. */
export function lastName(path: string): string {
  const name = path.split(isWindows(path) ? /[/\\]/ : '/').findLast((part) => part !== '');
  return name ?? path;
}

function isWindows(path: string): boolean {
  return /^[A-Za-z]:/.test(path) || path.startsWith('\\\\');
}

function isDrive(path: string): boolean {
  return /^[A-Za-z]:[/\\]$/.test(path);
}
