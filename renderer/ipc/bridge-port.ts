import type { DownFrame, UpFrame } from '../../contract/wire.ts';
import type { Dial } from './connection.ts';

/** What the preload script puts into the window. */
export interface Bridge {
  send(frame: unknown): void;
  /** Returns what removes the listener. */
  onFrame(listener: (frame: unknown) => void): () => void;
  /** The page begins anew: main forgets what an earlier page of this window had open. */
  reset(): void;
}

declare global {
  interface Window {
    readonly slipway?: Bridge;
  }
}

/** Connects over the bridge of the desktop host, whose main ends together with the window. */
export function dialBridge(bridge: Bridge): Dial {
  return async () => {
    let stopListening: (() => void) | undefined;
    const closeListeners = new Set<() => void>();
    bridge.reset();
    return {
      bufferedBytes: 0,
      send: (frame: UpFrame) => bridge.send(frame),
      onFrame(listener) {
        stopListening?.();
        stopListening = bridge.onFrame((frame) => listener(frame as DownFrame));
      },
      onClose: (listener) => void closeListeners.add(listener),
      close() {
        stopListening?.();
        bridge.reset();
        for (const listener of closeListeners) listener();
        closeListeners.clear();
      },
    };
  };
}
