import type { DownFrame, FramePort, UpFrame } from '../../contract/wire.ts';
import { withExactBytes } from './exact-bytes.ts';

/** Two ends of one connection without a transport; every frame is cloned, so neither end can change what is the other's. */
export function inProcessPorts(): {
  readonly window: FramePort<UpFrame, DownFrame>;
  readonly main: FramePort<DownFrame, unknown>;
} {
  const window = new End<UpFrame, DownFrame>();
  const main = new End<DownFrame, UpFrame>();
  window.deliver = (frame) => main.receive(structuredClone(frame));
  main.deliver = (frame) => window.receive(structuredClone(withExactBytes(frame)));
  const close = (): void => {
    window.closed();
    main.closed();
  };
  window.closeBoth = close;
  main.closeBoth = close;
  return { window, main };
}

class End<Sent, Received> implements FramePort<Sent, Received> {
  deliver: (frame: Sent) => void = () => undefined;
  closeBoth: () => void = () => undefined;
  bufferedBytes = 0;
  readonly #onClose = new Set<() => void>();
  readonly #inbox: Received[] = [];
  #onFrame: ((frame: Received) => void) | undefined;
  #isClosed = false;

  send(frame: Sent): void {
    if (!this.#isClosed) this.deliver(frame);
  }

  receive(frame: Received): void {
    this.#inbox.push(frame);
    if (this.#inbox.length === 1) setImmediate(() => this.#empty());
  }

  onFrame(listener: (frame: Received) => void): void {
    this.#onFrame = listener;
    this.#empty();
  }

  onClose(listener: () => void): void {
    this.#onClose.add(listener);
  }

  close(): void {
    this.closeBoth();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#inbox.length = 0;
    for (const listener of this.#onClose) listener();
  }

  #empty(): void {
    if (this.#onFrame === undefined) return;
    for (const frame of this.#inbox.splice(0)) this.#onFrame(frame);
  }
}
