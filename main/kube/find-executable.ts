import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The first executable file of that name in the folders of `path`, or undefined. Relative folders are skipped, as Go does. */
export async function findExecutable(
  name: string,
  path: string,
  extensions = executableExtensions(),
): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (folder === '' || folder.startsWith('.')) continue;
    for (const extension of extensions) {
      const candidate = join(folder, name + extension);
      if (await isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function executableExtensions(): readonly string[] {
  if (process.platform !== 'win32') return [''];
  return ['', ...(process.env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';')];
}
