import { readArchitecture } from './elf.ts';

/**
 * Finds the first folder that can be written to and run from, makes the helper's own there, and ends with the bytes of
 * the binary that it becomes, whose header names the CPU. Needs a shell, `cat`, `mkdir` and `chmod`. An existing
 * folder is taken over only when it is a real one that belongs to our user. $1 is the folder's name.
 */
export const probeScript = `
umask 077
if command -v gzip >/dev/null 2>&1; then echo gzip=yes; else echo gzip=no; fi
shell=/bin/sh
oldIFS=$IFS; IFS=:
for folder in $PATH; do [ -x "$folder/sh" ] && shell=$folder/sh && break; done
IFS=$oldIFS
found=
for base in /tmp /dev/shm /var/tmp "$HOME" "$PWD"; do
  case $base in /*) ;; *) continue ;; esac
  [ -d "$base" ] || continue
  folder=$base/$1
  [ "$base" = / ] && folder=/$1
  if mkdir "$folder" 2>/dev/null; then
    state=new
  elif [ -d "$folder" ] && [ ! -L "$folder" ] && [ -O "$folder" ]; then
    state=old
  else
    echo "skipped=$base: no folder can be made there"
    continue
  fi
  chmod 700 "$folder" 2>/dev/null
  if { echo "#!$shell" >"$folder/probe" && chmod 700 "$folder/probe" && "$folder/probe"; } 2>/dev/null; then
    : >"$folder/probe"
    found=$folder
    break
  fi
  echo "skipped=$base: nothing can be written there or run from there"
done
if [ -z "$found" ]; then echo none=; exit 0; fi
echo "state=$state"
echo "folder=$found"
exec cat /proc/self/exe
`;

export interface ProbeResult {
  readonly gzip: boolean;
  /** Folders that cannot be used, each with why. */
  readonly skipped: readonly string[];
  readonly found: { readonly folder: string; readonly existed: boolean; readonly architecture: string } | undefined;
}

/** Bytes of a probe's answer before the binary; more is not an answer. */
export const probeLimit = 64 * 1024;

/** The probe's answer as far as it has come: undefined while more is needed, an error's text when it is none. */
export function parseProbe(bytes: Buffer, ended: boolean): ProbeResult | string | undefined {
  let gzip = false;
  let existed = false;
  const skipped: string[] = [];
  for (let start = 0; ; ) {
    const end = bytes.indexOf(0x0a, start);
    if (end < 0) return ended || bytes.length > probeLimit ? 'The shell gave no answer' : undefined;
    const line = bytes.toString('utf8', start, end);
    start = end + 1;
    const [key, value] = splitOnce(line);
    if (key === 'gzip') gzip = value === 'yes';
    else if (key === 'skipped') skipped.push(value.slice(0, 300));
    else if (key === 'state') existed = value === 'old';
    else if (key === 'none') return { gzip, skipped, found: undefined };
    else if (key === 'folder') {
       
      if (!value.startsWith('/') || /[\u0000-\u001f\u007f]/.test(value)) return 'The shell named a folder that is none';
      const architecture = readArchitecture(bytes.subarray(start));
      if (architecture !== undefined) return { gzip, skipped, found: { folder: value, existed, architecture } };
      return ended || bytes.length - start >= 64 ? 'The kind of CPU cannot be told' : undefined;
    } else return `The shell answered ${JSON.stringify(line.slice(0, 200))}`;
  }
}

function splitOnce(line: string): readonly [string, string] {
  const at = line.indexOf('=');
  return at < 0 ? ['', ''] : [line.slice(0, at), line.slice(at + 1)];
}
