/** One command after uploads, from the user's own flags or settings: nothing that came from a container is ever run. */
export interface UploadCommand {
  /** What it is called in messages. */
  readonly name: string;
  /** A program and its arguments. */
  readonly command: readonly string[];
  /** On this machine, in the pair's folder, instead of in the container. */
  readonly local: boolean;
  /** Only for uploads of these paths (`**`, `*`, `?`, `{a,b}`); empty: for every upload. */
  readonly onChange: readonly string[];
  /** Not again in the same container after it has succeeded there. */
  readonly once: boolean;
  /** Its failure ends the sync instead of being told only. */
  readonly failOnError: boolean;
}

/** What happens after each batch of uploads was acknowledged. */
export interface OnUpload {
  readonly exec: readonly UploadCommand[];
  /** Restart the program of the container, which runs below the restart helper. */
  readonly restartContainer: boolean;
}

/** The commands that a batch of uploaded paths asks for, in their order. `matches` tells whether a glob names a path. */
export function commandsFor(
  commands: readonly UploadCommand[],
  paths: Iterable<string>,
  matches: (glob: string, path: string) => boolean,
): readonly UploadCommand[] {
  const open = new Set(commands.filter(({ onChange }) => onChange.length > 0));
  const wanted = new Set(commands.filter(({ onChange }) => onChange.length === 0));
  let any = false;
  for (const path of paths) {
    any = true;
    for (const command of open) {
      if (!command.onChange.some((glob) => matches(glob, path))) continue;
      wanted.add(command);
      open.delete(command);
    }
    if (open.size === 0) break;
  }
  return any ? commands.filter((command) => wanted.has(command)) : [];
}
