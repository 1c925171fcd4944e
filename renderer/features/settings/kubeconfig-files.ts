import type { KubeconfigFile } from '../../../contract/clusters.ts';

/** As many as the settings take. */
const mostFiles = 64;

/** The list with one more file, or why it cannot be added. `~` is the home folder, as in a shell. */
export function addedFile(
  text: string,
  home: string,
  files: readonly string[],
):
  | { readonly kind: 'files'; readonly files: readonly string[] }
  | { readonly kind: 'problem'; readonly problem: string } {
  const problem = (sentence: string) => ({ kind: 'problem', problem: sentence }) as const;
  const trimmed = text.trim();
  const path = /^~[/\\]/.test(trimmed) ? home + trimmed.slice(1) : trimmed;
  if (path === '') return problem('Write the path of a file.');
  if (!/^(\/|[A-Za-z]:[/\\]|\\\\)/.test(path))
    return problem('Write it from the root, or from ~ for your own folder.');
  if (files.includes(path)) return problem('It is in the list already.');
  if (files.length >= mostFiles) return problem(`At most ${mostFiles} files: remove one first.`);
  return { kind: 'files', files: [...files, path] };
}

export function withoutFile(files: readonly string[], path: string): readonly string[] {
  return files.filter((file) => file !== path);
}

export function fileOrigin(origin: KubeconfigFile['origin']): string {
  switch (origin) {
    case 'KUBECONFIG':
      return 'KUBECONFIG';
    case 'default':
      return 'kubectl’s default';
    case 'settings':
      return 'added here';
  }
}
