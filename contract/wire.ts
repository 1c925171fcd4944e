import { z } from 'zod';
import type { ErrorValue } from './errors.ts';

/** Bounds on what one renderer may have open at once, and on one message of its. */
export const wireLimits = {
  messageBytes: 1024 * 1024,
  calls: 256,
  states: 256,
  streams: 64,
  /** Down messages that a stream may have been granted and not used. */
  credit: 1024,
} as const;

/** Chosen by the renderer, unique among what it has open. */
const id = z.number().int().min(1).max(0xffff_ffff);
const name = z.string().min(1).max(64);

/**
 * Everything that a renderer sends. `payload` and the like stay unknown here: each is parsed by the contract of its
 * method, state or stream. Bytes (`Uint8Array`) are allowed in `data` alone.
 */
export const upFrame = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('call'), id, name, input: z.unknown() }),
  z.strictObject({ t: z.literal('cancel'), id }),
  z.strictObject({ t: z.literal('watch'), id, name, params: z.unknown() }),
  /** A gap was seen: send a snapshot. */
  z.strictObject({ t: z.literal('resync'), id }),
  z.strictObject({ t: z.literal('unwatch'), id }),
  z.strictObject({
    t: z.literal('open'),
    id,
    name,
    params: z.unknown(),
    credit: z.number().int().min(1).max(wireLimits.credit),
  }),
  z.strictObject({ t: z.literal('data'), id, payload: z.unknown() }),
  z.strictObject({ t: z.literal('credit'), id, amount: z.number().int().min(1).max(wireLimits.credit) }),
  z.strictObject({ t: z.literal('close'), id }),
]);

export type UpFrame = z.infer<typeof upFrame>;

/** Everything that main sends. */
export type DownFrame =
  | { readonly t: 'result'; readonly id: number; readonly output: unknown }
  /** Ends the call, state or stream of that id. */
  | { readonly t: 'error'; readonly id: number; readonly error: ErrorValue }
  | { readonly t: 'snapshot'; readonly id: number; readonly index: number; readonly value: unknown }
  /** Applies to the value of `index - 1`. */
  | { readonly t: 'patch'; readonly id: number; readonly index: number; readonly patch: unknown }
  | { readonly t: 'data'; readonly id: number; readonly payload: unknown }
  | { readonly t: 'end'; readonly id: number };

/** A connection between one renderer and main, as either end holds it: frames whole and in order. */
export interface FramePort<Sent, Received> {
  send(frame: Sent): void;
  /** Bytes that were sent and have not left yet; senders of states wait while it is high. */
  readonly bufferedBytes: number;
  onFrame(listener: (frame: Received) => void): void;
  onClose(listener: () => void): void;
  close(): void;
}
