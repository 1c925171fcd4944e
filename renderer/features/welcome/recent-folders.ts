/** As many as the settings keep. */
const mostFolders = 20;

/** The folders with this one first. */
export function withFolder(folders: readonly string[], path: string): readonly string[] {
  return [path, ...folders.filter((folder) => folder !== path)].slice(0, mostFolders);
}
