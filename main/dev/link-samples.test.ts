import { describe, expect, it } from 'vitest';
import { SlipwayError } from '../base/errors.ts';
import type { StreamLife } from '../helper/connection.ts';
import { LinkSampler, type LinkNow } from './link-samples.ts';

const life = (part: Partial<StreamLife> = {}): StreamLife => ({
  ...{ silentMs: 0, roundTripMs: 1.26, sentBytes: 0, receivedBytes: 0 },
  ...part,
});
const linked = (up: Partial<StreamLife>, down: Partial<StreamLife> = {}): LinkNow => ({
  state: { kind: 'in-sync', held: 0 },
  link: { up: life(up), down: life(down), limits: { upBytesPerSecond: 1000 } },
});
const lost = new SlipwayError({ code: 'helper.lost', message: 'It is gone', cause: '', next: '' });

describe('samples of the connections', () => {
  it('tell rates over the time that went by, of a new connection from zero', () => {
    const sampler = new LinkSampler();
    expect(sampler.sample([linked({ sentBytes: 500 })], 0)).toMatchObject({ upRate: 0, downRate: 0 });
    const next = sampler.sample([linked({ sentBytes: 2500 }, { receivedBytes: 10 })], 2000);
    expect(next).toMatchObject({ upRate: 1000, downRate: 5 });
    expect(next.pairs[0]).toMatchObject({ upLimit: 1000, up: { bytes: 2500, roundTripMs: 1.3 } });
    expect(sampler.sample([linked({ sentBytes: 300 })], 3000).upRate).toBe(300);
    expect(sampler.sample([{ state: undefined, link: undefined }], 4000).upRate).toBe(0);
    expect(sampler.sample([linked({ sentBytes: 700 })], 5000).upRate).toBe(0);
  });

  it('tell each stream by itself, and since when it is so', () => {
    const sampler = new LinkSampler();
    const states = (now: LinkNow, at: number) => {
      const [pair] = sampler.sample([now], at).pairs;
      return [pair?.up.state, Date.parse(pair?.up.since ?? ''), pair?.down.state];
    };
    expect(states({ state: { kind: 'scanning' }, link: undefined }, 1)).toEqual(['starting', 1, 'starting']);
    expect(states(linked({}), 10)).toEqual(['connected', 10, 'connected']);
    expect(states(linked({}), 5000)).toEqual(['connected', 10, 'connected']);
    expect(states(linked({ silentMs: 4500 }), 9000)).toEqual(['stalled', 4500, 'connected']);
    expect(states(linked({ silentMs: 5500 }), 10_000)).toEqual(['stalled', 4500, 'connected']);
    const again = { state: { kind: 'connecting', attempt: 3, reason: lost } as const, link: undefined };
    expect(states(again, 11_000)).toEqual(['reconnecting', 11_000, 'reconnecting']);
    expect(sampler.sample([again], 12_000).pairs[0]?.down).toMatchObject({
      attempt: 3,
      reason: 'It is gone.',
    });
    expect(states({ state: { kind: 'failed', reason: lost }, link: undefined }, 13_000)[0]).toBe('over');
  });
});
