import type { DownFrame, FramePort } from '../../contract/wire.ts';
import { withExactBytes } from './exact-bytes.ts';

/** One window's messages, as the desktop host passes them on after it has looked at who sent them. */
export interface WindowChannel {
  send(frame: unknown): void;
  onMessage(listener: (frame: unknown) => void): void;
  /** The page is gone: closed, crashed, or loaded anew. */
  onClose(listener: () => void): void;
}

/** A port over the desktop's messages between processes, which are clones. */
export function electronPort(channel: WindowChannel): FramePort<DownFrame, unknown> {
  const onClose = new Set<() => void>();
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    for (const listener of onClose) listener();
  };
  channel.onClose(close);
  return {
    // What waits between processes cannot be asked for; streams are bounded by their credit, states by their pace.
    bufferedBytes: 0,
    send(frame) {
      if (!isClosed) channel.send(withExactBytes(frame));
    },
    onFrame(listener) {
      channel.onMessage((frame) => {
        if (!isClosed) listener(frame);
      });
    },
    onClose: (listener) => void onClose.add(listener),
    close,
  };
}
