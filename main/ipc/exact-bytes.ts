import type { DownFrame } from '../../contract/wire.ts';

/**
 * A frame as it may be cloned. Cloning a view takes along all the memory that it is a view of, and Node keeps many
 * small buffers in one piece of memory: the neighbours of a message are nothing for a window.
 */
export function withExactBytes(frame: DownFrame): DownFrame {
  if (frame.t !== 'data' || !(frame.payload instanceof Uint8Array)) return frame;
  return { ...frame, payload: new Uint8Array(frame.payload) };
}
