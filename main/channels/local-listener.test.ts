import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Below it only the administrator may listen. */
function firstOpenPort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  } catch {
    return 0;
  }
}

describe('a local port', () => {
  it.runIf(firstOpenPort() > 1)('that this user may not have is not called taken', () => {
    const listener = new URL('local-listener.ts', import.meta.url).href;
    const script = `
      import { listenLocally } from ${JSON.stringify(listener)};
      if (process.getuid() === 0) process.setuid(65534);
      await listenLocally({ port: 1, addresses: ['127.0.0.1'], onConnection() {} }).catch((error) =>
        console.log(error.code, error.message, error.next));
      process.exit();`;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
    const said = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(said).toBe(
      'port.forbidden This user may not listen on 127.0.0.1:1. Choose a local port from 1024 up, for instance 8001.\n',
    );
  });
});
