import type { DownFrame } from '../../contract/wire.ts';
import { applyMerge, diffMerge } from '../../contract/merge-patch.ts';

/** The window's copy of one state of main. */
export interface Mirror {
  readonly value: unknown;
  /** Index of the last frame that was applied; undefined before the first snapshot of this connection. */
  readonly index: number | undefined;
}

export type MirrorStep = { readonly kind: 'next'; readonly mirror: Mirror } | { readonly kind: 'gap' };

/**
 * Takes one frame in. A snapshot is laid over what is there, so that parts that did not change stay the same objects
 * also after a reconnect. `gap`: a frame is missing, and only a snapshot helps.
 */
export function mirrorFrame(
  mirror: Mirror,
  frame: Extract<DownFrame, { t: 'snapshot' | 'patch' }>,
): MirrorStep {
  if (frame.t === 'patch') {
    if (mirror.index === undefined || frame.index !== mirror.index + 1) return { kind: 'gap' };
    return next(applyMerge(mirror.value, frame.patch), frame.index);
  }
  const difference = diffMerge(mirror.value, frame.value);
  return next(difference === undefined ? mirror.value : applyMerge(mirror.value, difference), frame.index);
}

function next(value: unknown, index: number): MirrorStep {
  return { kind: 'next', mirror: { value, index } };
}
