import { openStream, type OpenOptions } from './open-stream.ts';

/** A port that nobody listens on is refused well before this; a program that listens may say nothing at first. */
const quietMs = 400;

/** Resolves when something accepts connections on the pod's port; rejects with what was said instead. */
export async function probePort(options: OpenOptions): Promise<void> {
  const stream = await openStream(options);
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = options.clock.timer(quietMs, resolve);
      const settle = (error?: Error): void => {
        timer[Symbol.dispose]();
        if (error === undefined) resolve();
        else reject(error);
      };
      stream.once('error', settle);
      stream.once('end', () => settle());
      stream.once('data', () => settle());
    });
  } finally {
    stream.destroy();
  }
}
