import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../contract/session-events.ts';
import { Invocation } from './command.ts';
import { printSession } from './session-printer.ts';

const upload: SessionEvent = { event: 'sync', path: 'a.js', direction: 'up', action: 'update', bytes: 2048 };
const ready: SessionEvent = {
  event: 'ready',
  namespace: 'n',
  pod: 'p',
  container: 'c',
  ports: [],
  pairs: [],
};

function printed(
  events: readonly SessionEvent[],
  options: { readonly tty: boolean; readonly json?: boolean },
) {
  let [stdout, stderr] = ['', ''];
  const terminal = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text), isTTY: options.tty },
  };
  const print = printSession(new Invocation({ terminal } as never, { json: options.json }));
  events.forEach(print);
  return { stdout, stderr };
}

describe('a session on a terminal', () => {
  it('counts the first sync and lists each file after it', () => {
    const { stderr } = printed([upload, upload, ready, upload], { tty: true });
    expect(stderr).toContain('\r\u001b[K  2 changes (4.0 KiB)\r\u001b[K');
    expect(stderr).toContain('↑ update a.js (2.0 KiB)\n');
  });

  it('is quiet in a pipe but for what matters later', () => {
    const { stdout, stderr } = printed([upload, ready, upload, { event: 'notice', message: 'Look.' }], {
      tty: false,
    });
    expect(stdout).toContain('Ready: n/p (c)');
    expect(stderr).toBe('Look.\n');
  });

  it('shows names from the container without their control characters', () => {
    const { stderr } = printed([ready, { ...upload, path: 'a\u001b]0;x\u0007' }], { tty: true });
    expect(stderr).toContain('a\\u001b]0;x\\u0007');
  });

  it('is one JSON object a line with --json', () => {
    const { stdout, stderr } = printed([upload, ready], { tty: true, json: true });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([upload, ready]);
    expect(stderr).toBe('');
  });

  it('tells at the end what was restored, kept and what remains', () => {
    const { stdout } = printed(
      [{ event: 'stopped', restored: ['Scaled back.'], kept: ['Theirs.'], remaining: ['A pod.'] }],
      { tty: false },
    );
    expect(stdout).toBe(
      'Stopped, not everything is as before:\n  Scaled back.\n  Kept: Theirs.\n  Remains: A pod.\n',
    );
  });
});
