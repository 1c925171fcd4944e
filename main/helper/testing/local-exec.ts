import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { ExecOptions, ExecStatus, ExecStream, Kube, PodTarget } from '../../kube/kube.ts';

export interface LocalExec extends Pick<Kube, 'exec'> {
  /** Commands that were run, in order. */
  readonly commands: (readonly string[])[];
  /** Process ids by command line, newest last. */
  readonly processes: { readonly command: readonly string[]; readonly pid: number }[];
}

/** Runs a container's commands as local processes behind the shape of an exec stream. */
export function localExec(options: { readonly environment?: NodeJS.ProcessEnv } = {}): LocalExec {
  const commands: (readonly string[])[] = [];
  const processes: { command: readonly string[]; pid: number }[] = [];
  return {
    commands,
    processes,
    exec(_target: PodTarget, { command, stdin }: ExecOptions): Promise<ExecStream> {
      commands.push(command);
      const [file = '', ...rest] = command;
      const child = spawn(file, rest, {
        stdio: [stdin === true ? 'pipe' : 'ignore', 'pipe', 'pipe'],
        ...(options.environment === undefined ? {} : { env: options.environment }),
      });
      const { stdout, stderr } = child;
      if (stdout === null || stderr === null) throw new Error('A child without output');
      if (child.pid !== undefined) processes.push({ command, pid: child.pid });
      child.stdin?.on('error', () => undefined);
      const status = new Promise<ExecStatus>((resolve) => {
        child.on('error', (error) => resolve({ kind: 'failed', reason: 'InternalError', message: error.message.replace('ENOENT', 'no such file or directory') }));
        child.on('exit', (code, signal) =>
          resolve({ kind: 'exited', code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) }),
        );
      });
      const kill = (): void => {
        child.stdin?.destroy();
        child.kill('SIGKILL');
      };
      return Promise.resolve({
        ...(child.stdin === null ? {} : { stdin: child.stdin }),
        stdout,
        stderr,
        canHalfClose: true,
        status,
        resize: () => undefined,
        kill,
        [Symbol.asyncDispose]: async () => {
          kill();
          await status;
        },
      });
    },
  };
}
