import { EventEmitter } from 'node:events';
import type { WebContents } from 'electron';

interface FakeIpcEvent {
  readonly sender: { readonly id: number };
  readonly senderFrame: { readonly url: string; readonly parent: unknown } | null;
}

/** The part of a window's contents that the host uses, with the browser's side in the test's hand. */
export class FakeContents extends EventEmitter {
  readonly id: number;
  readonly ipc = new EventEmitter();
  readonly sent: unknown[] = [];
  openHandler: ((details: { url: string }) => { action: string }) | undefined;
  destroyed = false;

  constructor(id = 7) {
    super();
    this.id = id;
  }

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }

  send(_channel: string, frame: unknown): void {
    this.sent.push(frame);
  }

  isDestroyed(): boolean {
    return this.destroyed;
  }

  /** As the real one, for what takes a part of it. */
  get contents(): WebContents {
    return this as unknown as WebContents;
  }

  /** A message of a page; from our own page's main frame unless something else is said. */
  receive(message: unknown, from: Partial<FakeIpcEvent> = {}): void {
    const event: FakeIpcEvent = {
      sender: { id: this.id },
      senderFrame: { url: 'app://bundle/', parent: null },
      ...from,
    };
    this.ipc.emit('slipway', event, message);
  }

  /** Emits an event that can be prevented and says whether it was. */
  tryTo(event: string, details: Readonly<Record<string, unknown>> = {}): 'prevented' | 'done' {
    let prevented = false;
    this.emit(event, { ...details, preventDefault: () => (prevented = true) });
    return prevented ? 'prevented' : 'done';
  }
}
