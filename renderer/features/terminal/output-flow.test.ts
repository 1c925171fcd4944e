import { describe, expect, it } from 'vitest';
import { lowWaterBytes, OutputFlow } from './output-flow.ts';

function flowing() {
  const shown: (() => void)[] = [];
  let granted = 0;
  const flow = new OutputFlow(
    { write: (_bytes, done) => void shown.push(done) },
    (amount) => (granted += amount),
  );
  return { flow, showOne: () => shown.shift()?.(), granted: () => granted };
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
});
