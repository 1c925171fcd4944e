import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubectlProgram } from '../../sandbox/client.ts';
import { testKubeconfig } from '../../tests/support/kubectl.ts';
import { endChild } from '../support/children.ts';

/** How much of the latest output is looked at for the prompt. */
const tailBytes = 200;
const patienceMs = 60_000;

/** A shell by `kubectl exec -it`, in a terminal whose output is read as fast as it comes and thrown away. */
export interface KubectlShell extends AsyncDisposable {
  /** Milliseconds from Ctrl-C to the prompt, after a command has run so long. */
  interrupt(command: string, runMs: number): Promise<number>;
}

export async function openKubectlShell(options: {
  readonly namespace: string;
  readonly pod: string;
  readonly prompt: string;
}): Promise<KubectlShell> {
  const { namespace, pod, prompt } = options;
  const args = `exec -it -n ${namespace} ${pod} -- sh`;
  const command = `exec -a kubectl ${kubectlProgram()} --kubeconfig ${testKubeconfig()} ${args}`;
  const child = spawn('script', ['-qefc', `bash -c '${command}'`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm-256color' },
  });
  let tail = '';
  let look: () => void = () => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.subarray(-tailBytes).toString('latin1')).slice(-tailBytes);
    look();
  });
  const until = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`kubectl shows no ${String(pattern)}: ${tail}`)),
        patienceMs,
      );
      look = () => {
        if (!pattern.test(tail)) return;
        clearTimeout(timer);
        look = () => undefined;
        resolve();
      };
      look();
    });
  // A shell may ask for the place of the cursor behind its prompt.
  const ready = new RegExp(`${prompt.replaceAll('$', '\\$')} (\\x1b\\[6n)?$`);
  await until(/[#$] (\x1b\[6n)?$/);
  child.stdin.write(`PS1='${prompt} '\n`);
  await until(ready);
  return {
    async interrupt(flood, runMs) {
      child.stdin.write(`${flood}\n`);
      await sleep(runMs);
      tail = '';
      const started = performance.now();
      child.stdin.write('\x03');
      await until(ready);
      return performance.now() - started;
    },
    [Symbol.asyncDispose]: () => endChild(child),
  };
}
