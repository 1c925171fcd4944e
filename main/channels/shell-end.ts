import type { Kube, PodTarget } from '../kube/kube.ts';
import { shellCommand, shells } from './terminal.ts';

/** A command to terminals that none of them knows: it says the shell's process id and shows nothing. */
const pidCommand = 7799;
/** The id is among the first bytes, or does not come. */
const soughtBytes = 4096;
const endPatienceMs = 3_000;

/** Starts a shell like {@link shellCommand}, which says its process id first. */
export function shellWithPid(terminalType: string): readonly string[] {
  const [program = 'sh', flag = '-c', script = '', ...rest] = shellCommand(terminalType);
  return [program, flag, `printf '\\033]${pidCommand};%s\\007' $$\n${script}`, ...rest];
}

/** Finds the process id in the first output of a shell. */
export class ShellPid {
  #text = '';
  #pid: string | undefined;

  get value(): string | undefined {
    return this.#pid;
  }

  look(bytes: Uint8Array): void {
    if (this.#pid !== undefined || this.#text.length >= soughtBytes) return;
    this.#text += Buffer.from(bytes.subarray(0, soughtBytes)).toString('latin1');
    this.#pid = new RegExp(`\\x1b\\]${pidCommand};([1-9]\\d{0,9})\\x07`).exec(this.#text)?.[1];
  }
}

/** Only a shell is hung up: the id may be another process by now. */
const hangUp = `read -r name <"/proc/$1/comm" && case $name in ${[...shells, 'dash', 'busybox'].join('|')}) kill -HUP "$1" ;; esac`;

/**
 * Hangs up on a shell, and by that on what runs in it: container runtimes let both go on when just the connection
 * is closed. Tries for a bounded time and never rejects.
 */
export async function endShell(kube: Pick<Kube, 'exec'>, target: PodTarget, pid: string): Promise<void> {
  const stream = await kube
    .exec(target, { command: ['sh', '-c', hangUp, 'sh', pid], signal: AbortSignal.timeout(endPatienceMs) })
    .catch(() => undefined);
  stream?.stdout.resume();
  stream?.stderr?.resume();
  await stream?.status;
  await stream?.[Symbol.asyncDispose]();
}
