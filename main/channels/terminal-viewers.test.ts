import { describe, expect, it } from 'vitest';
import type { TerminalSkip } from '../../contract/terminals.ts';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { messageBytes, patienceMs, TerminalViewers, waitingBytes } from './terminal-viewers.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A window that takes as many messages as it was granted. */
function fakePeer(granted = Number.POSITIVE_INFINITY) {
  const abort = new AbortController();
  const received: Buffer[] = [];
  const skipped: number[] = [];
  let left = granted;
  let wake: () => void = () => undefined;
  return {
    signal: abort.signal,
    abort,
    text: () => Buffer.concat(received).toString(),
    skipped,
    sizes: () => received.map((message) => message.length),
    grant(amount: number) {
      left += amount;
      wake();
    },
    async send(message: Uint8Array | TerminalSkip) {
      while (left <= 0) await new Promise<void>((resolve) => (wake = resolve));
      left -= 1;
      if (message instanceof Uint8Array) received.push(Buffer.from(message));
      else skipped.push(received.length);
    },
  };
}

describe('the windows of a terminal', () => {
  it('all see everything from their replay on', async () => {
    const viewers = new TerminalViewers(createFakeClock());
    const one = fakePeer();
    const two = fakePeer();
    const ends = [viewers.attach(one, Buffer.from('<')), viewers.attach(two, Buffer.from('['))];
    await viewers.write(Buffer.from('hello'));
    await turn();
    expect([one.text(), two.text()]).toEqual(['<hello', '[hello']);
    viewers.end();
    await Promise.all(ends);
  });

  it('hold nothing back when there are none', async () => {
    const viewers = new TerminalViewers(createFakeClock());
    for (let index = 0; index < 100; index++) await viewers.write(Buffer.alloc(waitingBytes));
  });

  it('are waited for, the slowest one most', async () => {
    const viewers = new TerminalViewers(createFakeClock());
    const slow = fakePeer(0);
    const attached = viewers.attach(slow, Buffer.alloc(0));
    void viewers.attach(fakePeer(), Buffer.alloc(0));
    let written = false;
    void viewers.write(Buffer.alloc(waitingBytes)).then(() => (written = true));
    await turn();
    expect(written).toBe(false);
    slow.grant(2);
    await turn();
    expect(written).toBe(true);
    expect(slow.sizes()).toEqual([messageBytes, messageBytes]);
    viewers.end();
    await attached;
  });

  it('get small pieces joined when they could not take them at once', async () => {
    const viewers = new TerminalViewers(createFakeClock());
    const slow = fakePeer(0);
    void viewers.attach(slow, Buffer.alloc(0));
    await viewers.write(Buffer.from('a'));
    await turn();
    for (const letter of 'bcdef') await viewers.write(Buffer.from(letter));
    slow.grant(9);
    await turn();
    await turn();
    expect(slow.sizes()).toEqual([1, 5]);
    expect(slow.text()).toBe('abcdef');
    viewers.end();
  });

  it('are told when what was sent to them is of no use any more', async () => {
    const viewers = new TerminalViewers(createFakeClock());
    const slow = fakePeer(1);
    void viewers.attach(slow, Buffer.alloc(0));
    void viewers.write(Buffer.alloc(waitingBytes));
    await turn();
    viewers.discard();
    await viewers.write(Buffer.from('$ '));
    slow.grant(9);
    await turn();
    await turn();
    // One was on its way and one more taken.
    expect(slow.sizes()).toEqual([messageBytes, messageBytes, 2]);
    expect(slow.skipped).toEqual([2]);
    viewers.end();
  });

  it('are let go when they take nothing for long', async () => {
    const clock = createFakeClock();
    const viewers = new TerminalViewers(clock);
    const stuck = expect(viewers.attach(fakePeer(0), Buffer.alloc(0))).rejects.toMatchObject({
      code: 'contract.too-much',
    });
    const other = fakePeer();
    void viewers.attach(other, Buffer.alloc(0));
    const written = viewers.write(Buffer.alloc(waitingBytes));
    await clock.advance(patienceMs);
    await stuck;
    await written;
    await viewers.write(Buffer.from('on'));
    await turn();
    expect(other.text().endsWith('on')).toBe(true);
    viewers.end();
  });

  it('are kept however slowly they take something', async () => {
    const clock = createFakeClock();
    const viewers = new TerminalViewers(clock);
    const slow = fakePeer(0);
    let left = false;
    viewers.attach(slow, Buffer.alloc(0)).catch(() => (left = true));
    void viewers.write(Buffer.alloc(waitingBytes * 8));
    for (let index = 0; index < 5; index++) {
      await clock.advance(patienceMs - 1);
      slow.grant(1);
      await turn();
    }
    expect(left).toBe(false);
    viewers.end();
  });

  it('free the shell when they go away', async () => {
    const viewers = new TerminalViewers(createFakeClock());
    const peer = fakePeer(0);
    const attached = viewers.attach(peer, Buffer.alloc(0));
    const written = viewers.write(Buffer.alloc(waitingBytes));
    peer.abort.abort(new Error('closed'));
    await expect(attached).rejects.toThrow('closed');
    await written;
  });
});
