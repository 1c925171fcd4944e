import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { pack, type Pack } from 'tar-stream';
import { kubectlProgram } from '../../sandbox/client.ts';
import { testKubeconfig } from '../../tests/support/kubectl.ts';
import { endChild } from '../support/children.ts';
import type { Bed } from './bed.ts';
import { monotonicMs } from './clock.ts';

type Exec = ChildProcessByStdio<Writable, Readable, Readable>;

/** A command in the container over kubectl's exec, which has said that it is ready: connecting is not measured. */
class RawExec implements AsyncDisposable {
  readonly child: Exec;
  #said = '';
  #heard: () => void = () => undefined;

  private constructor(bed: Bed, script: string) {
    const { namespace, pod, container } = bed;
    this.child = spawn(
      kubectlProgram(),
      ['exec', '-i', '-n', namespace, pod, '-c', container, '--', 'sh', '-c', `echo ready >&2; ${script}`],
      {
        argv0: 'kubectl',
        env: { ...process.env, KUBECONFIG: testKubeconfig() },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    this.child.stdin.on('error', () => undefined);
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
      this.#heard();
    });
    this.child.on('exit', () => this.#heard());
  }

  static async open(bed: Bed, script: string): Promise<RawExec> {
    const exec = new RawExec(bed, script);
    await exec.says('ready', 1);
    return exec;
  }

  /** Waits until the command has said a word on its standard error so many times. */
  async says(word: string, times: number): Promise<void> {
    while (this.#said.split(`${word}\n`).length <= times) {
      if (this.child.exitCode !== null) throw new Error(`The raw exec ended: ${this.#said}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endChild(this.child, 'SIGKILL');
  }
}

/** Sends a folder of this machine through tar and an open exec; milliseconds until tar in the container has ended. */
export async function rawUp(bed: Bed, from: string, to: string): Promise<number> {
  await using exec = await RawExec.open(bed, `mkdir -p '${to}'; tar xf - -C '${to}'; echo done >&2`);
  const start = monotonicMs();
  const tar = spawn('tar', ['cf', '-', '-C', from, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  tar.stdout.pipe(exec.child.stdin);
  await exec.says('done', 1);
  return monotonicMs() - start;
}

/** Fetches a folder of the container through tar and an open exec; milliseconds until tar here has ended. */
export async function rawDown(bed: Bed, from: string, to: string): Promise<number> {
  await using exec = await RawExec.open(bed, `read go; tar cf - -C '${from}' .`);
  const start = monotonicMs();
  const tar = spawn('tar', ['xf', '-', '-C', to], { stdio: ['pipe', 'ignore', 'inherit'] });
  exec.child.stdout.pipe(tar.stdin);
  exec.child.stdin.write('go\n');
  await ended(tar);
  return monotonicMs() - start;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null) await once(child, 'exit');
}

/** A tar stream into a folder of the container that stays open: a file is unpacked when its last block is there. */
export class RawUpStream implements AsyncDisposable {
  readonly #exec: RawExec;
  readonly #pack: Pack;

  private constructor(exec: RawExec) {
    this.#exec = exec;
    this.#pack = pack();
    // It ends with the exec, in the middle.
    this.#pack.on('error', () => undefined);
    this.#pack.pipe(exec.child.stdin);
  }

  static async open(bed: Bed, to: string): Promise<RawUpStream> {
    return new RawUpStream(await RawExec.open(bed, `mkdir -p '${to}'; tar xf - -C '${to}'`));
  }

  send(name: string, content: Buffer): void {
    this.#pack.entry({ name, size: content.length, mtime: new Date() }, content);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#exec[Symbol.asyncDispose]();
  }
}

/** A shell in the container over an open exec. */
export class RawShell implements AsyncDisposable {
  readonly #exec: RawExec;
  #done = 0;

  private constructor(exec: RawExec) {
    this.#exec = exec;
    exec.child.stdout.resume();
  }

  static async open(bed: Bed): Promise<RawShell> {
    return new RawShell(await RawExec.open(bed, 'exec sh'));
  }

  /** Milliseconds until a command has ended and what it wrote was received. */
  async run(command: string): Promise<number> {
    const start = monotonicMs();
    this.#exec.child.stdin.write(`${command}; echo done >&2\n`);
    await this.#exec.says('done', ++this.#done);
    return monotonicMs() - start;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#exec[Symbol.asyncDispose]();
  }
}
