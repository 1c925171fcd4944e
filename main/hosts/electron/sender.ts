import { isBundleAddress } from './bundle-address.ts';

/** The part of an IPC event that says who sent it. */
export interface SenderEvent {
  readonly sender: { readonly id: number };
  /** Null when the frame was gone before the message was looked at. */
  readonly senderFrame: { readonly url: string; readonly parent: unknown } | null;
}

/** Whether a message comes from the main frame of the window with `contentsId`, showing the app's own page. */
export function isOwnSender(event: SenderEvent, contentsId: number): boolean {
  const frame = event.senderFrame;
  return (
    frame !== null && event.sender.id === contentsId && frame.parent === null && isBundleAddress(frame.url)
  );
}
