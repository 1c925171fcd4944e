import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { listenForInterrupts } from './interrupts.ts';

describe('interrupts', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s asks to stop, a second signal forces', (signal) => {
    let now = 0;
    const source = new EventEmitter();
    using interrupts = listenForInterrupts(source, () => now);
    source.emit(signal);
    expect([interrupts.stop.aborted, interrupts.force.aborted]).toEqual([true, false]);
    now = 1000;
    source.emit('SIGINT');
    expect(interrupts.force.aborted).toBe(true);
  });

  it('a window that closes stops in order, whatever came before it', () => {
    let now = 0;
    const source = new EventEmitter();
    using interrupts = listenForInterrupts(source, () => now);
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGHUP']) {
      source.emit(signal);
      now += 1000;
    }
    expect([interrupts.stop.aborted, interrupts.force.aborted]).toEqual([true, false]);
  });

  it('counts the doubled signal of one key press once', () => {
    const source = new EventEmitter();
    using interrupts = listenForInterrupts(source, () => 5);
    source.emit('SIGINT');
    source.emit('SIGINT');
    expect(interrupts.force.aborted).toBe(false);
  });

  it('stops listening when disposed', () => {
    const source = new EventEmitter();
    listenForInterrupts(source, () => 0)[Symbol.dispose]();
    expect(source.listenerCount('SIGINT') + source.listenerCount('SIGHUP')).toBe(0);
  });
});
