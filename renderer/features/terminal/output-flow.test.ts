import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holdBytes, holdMs, lowWaterBytes, OutputFlow, screenBytes } from './output-flow.ts';

function flowing() {
  const shown: (() => void)[] = [];
  const given: number[] = [];
  let granted = 0;
  const sink = {
    write(bytes: Uint8Array, done: () => void): void {
      given.push(bytes.length);
      shown.push(done);
    },
  };
  const flow = new OutputFlow(sink, (amount) => (granted += amount));
  return { flow, given, showOne: () => shown.shift()?.(), granted: () => granted };
}

describe('output on its way to a screen', () => {
  it('is asked for at once while little waits', () => {
    const { flow, granted } = flowing();
    flow.take(new Uint8Array(10));
    flow.take(new Uint8Array(10));
    expect(granted()).toBe(2);
  });

  it('is asked for as it is shown while much waits', () => {
    const { flow, granted, showOne } = flowing();
    flow.take(new Uint8Array(lowWaterBytes));
    flow.take(new Uint8Array(lowWaterBytes));
    flow.take(new Uint8Array(lowWaterBytes));
    expect(granted()).toBe(1);
    showOne();
    expect(granted()).toBe(1);
    showOne();
    showOne();
    expect(granted()).toBe(3);
  });

  it('knows until when it is a replay', () => {
    const { flow, showOne } = flowing();
    flow.take({ replay: 15 });
    flow.take(new Uint8Array(10));
    flow.take(new Uint8Array(10));
    expect(flow.replaying).toBe(true);
    showOne();
    expect(flow.replaying).toBe(true);
    showOne();
    expect(flow.replaying).toBe(false);
  });

  it('is given to the screen a little at a time', () => {
    const { flow, given, showOne } = flowing();
    for (let index = 0; index < 3; index++) flow.take(new Uint8Array(screenBytes));
    expect(given.length).toBe(1);
    showOne();
    expect(given.length).toBe(2);
  });

  it('goes on when the screen shows it at once', () => {
    let shown = 0;
    const sink = { write: (bytes: Uint8Array, done: () => void) => ((shown += bytes.length), done()) };
    const flow = new OutputFlow(sink, () => undefined);
    flow.take(new Uint8Array(lowWaterBytes * 2));
    flow.take(new Uint8Array(5));
    expect(shown).toBe(lowWaterBytes * 2 + 5);
  });
});

describe('output after Ctrl-C', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function behind() {
    const flowed = flowing();
    for (let index = 0; index < 4; index++) flowed.flow.take(new Uint8Array(screenBytes));
    return flowed;
  }

  it('is dropped when main says so, with all room given back once', () => {
    const { flow, given, granted, showOne } = behind();
    expect(granted()).toBe(1);
    flow.interrupt();
    flow.interrupt();
    expect(granted()).toBe(4);
    showOne();
    expect(given.length).toBe(1);
    flow.take(new Uint8Array(100));
    flow.take({ skipped: true });
    flow.take(new Uint8Array(7));
    expect(given).toEqual([screenBytes, 7]);
    showOne();
    expect(granted()).toBe(7);
  });

  it('is shown when main says nothing', () => {
    const { flow, given, showOne, granted } = behind();
    flow.interrupt();
    showOne();
    expect(given.length).toBe(1);
    vi.advanceTimersByTime(holdMs);
    for (let index = 0; index < 3; index++) showOne();
    expect(given.length).toBe(4);
    expect(granted()).toBe(4);
  });

  it('is not asked for without end meanwhile', () => {
    const { flow, granted } = behind();
    flow.interrupt();
    for (let index = 0; index < 100; index++) flow.take(new Uint8Array(screenBytes));
    expect(granted()).toBe(holdBytes / screenBytes);
  });

  it('waits for nothing when nothing waits', () => {
    const { flow, given } = flowing();
    flow.interrupt();
    flow.take(new Uint8Array(3));
    expect(given).toEqual([3]);
  });

  it('is no replay any more when it was dropped', () => {
    const { flow, showOne } = flowing();
    flow.take({ replay: 1000 });
    flow.take(new Uint8Array(10));
    flow.take({ skipped: true });
    expect(flow.replaying).toBe(true);
    showOne();
    expect(flow.replaying).toBe(false);
  });
});
