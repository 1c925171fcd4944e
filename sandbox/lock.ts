import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxFault } from './fault.ts';

/** A first build is the longest that anyone holds a lock. */
const longestWaitMilliseconds = 30 * 60_000;

export interface LockOptions {
  readonly name: string;
  /** Called once when another process holds the lock. */
  readonly onWait?: () => void;
}

/** Does the work while holding a machine-wide lock. */
export async function withLock<T>(options: LockOptions, work: () => Promise<T>): Promise<T> {
  const lock = await acquireLock(options);
  try {
    return await work();
  } finally {
    await new Promise((resolve) => lock.close(resolve));
  }
}

/**
 * Takes a lock, waiting for its holder. It is an abstract Unix socket: the kernel
 * lets go of it when its process ends in whatever way, so a lock is never stale.
 */
async function acquireLock(options: LockOptions): Promise<net.Server> {
  const deadline = Date.now() + longestWaitMilliseconds;
  let told = false;
  for (;;) {
    const server = await tryListen(`\0slipway-sandbox/${options.name}`);
    if (server) return server;
    if (!told) options.onWait?.();
    told = true;
    if (Date.now() > deadline) {
      throw new SandboxFault(
        `Another sandbox command has held the lock "${options.name}" for half an hour`,
        'Look for a stuck "sandbox/main.ts" among the processes and end it.',
      );
    }
    await sleep(100);
  }
}

function tryListen(address: string): Promise<net.Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((connection) => connection.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });
}
