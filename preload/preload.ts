import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';

/** The one channel between a window and main; `main/hosts/electron/window-ports.ts` has the other end. */
const channel = 'slipway';

/**
 * All that a window gets from Electron: frames out, frames in, and a fresh start. It knows nothing of what the frames
 * say, since main parses each of them whoever sends it; and it hands out neither `ipcRenderer` nor event objects,
 * which would reach further than this.
 */
contextBridge.exposeInMainWorld('slipway', {
  send(frame: unknown): void {
    ipcRenderer.send(channel, { frame });
  },
  onFrame(listener: (frame: unknown) => void): () => void {
    const receive = (_event: IpcRendererEvent, frame: unknown): void => listener(frame);
    ipcRenderer.on(channel, receive);
    return () => {
      ipcRenderer.off(channel, receive);
    };
  },
  /** Closes what this window has open in main, before it begins anew. */
  reset(): void {
    ipcRenderer.send(channel, { reset: true });
  },
});
