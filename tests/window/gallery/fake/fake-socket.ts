import type { DownFrame, UpFrame } from '../../../../contract/wire.ts';
import { FakeMain } from './fake-main.ts';
import type { Scene } from './scene.ts';

/** What a test may do to the window from outside. */
export interface GalleryControl {
  /** Every frame that the window sent. */
  readonly sent: UpFrame[];
  /** Sends the window a frame as it is, right or wrong. */
  send(frame: unknown): void;
  set(name: string, value: unknown): void;
  idsOf(name: string): readonly number[];
  indexOf(id: number): number;
  /** Main goes away for good, once the window shows what it shall be asked about. */
  lose(): void;
}

/** States that stand in every scene, whatever it says. */
export type Overrides = Map<string, unknown>;

/** A class that stands in for `WebSocket`: behind it is a scene and no network. */
export function fakeSocketClass(scene: Scene, overrides: Overrides, control: { current?: GalleryControl }) {
  let connections = 0;
  let lost = false;
  const sent: UpFrame[] = [];
  return class FakeSocket {
    static readonly OPEN = 1;
    readonly OPEN = 1;
    readonly bufferedAmount = 0;
    readyState = 0;
    binaryType = 'arraybuffer';
    onopen: (() => void) | undefined;
    onclose: ((event: { readonly code: number }) => void) | undefined;
    onmessage: ((event: { readonly data: unknown }) => void) | undefined;
    #main: FakeMain | undefined;

    constructor() {
      connections += 1;
      const refused =
        lost || scene.connection === 'refused' || (scene.connection === 'gone' && connections > 1);
      setTimeout(() => {
        if (refused) return this.#end(scene.connection === 'refused' ? 4401 : 1006);
        this.readyState = 1;
        this.onopen?.();
      });
    }

    send(data: string | Uint8Array): void {
      if (this.#main === undefined) return this.#begin();
      const frame: UpFrame =
        typeof data === 'string'
          ? (JSON.parse(data) as UpFrame)
          : {
              t: 'data',
              id: new DataView(data.buffer, data.byteOffset).getUint32(0),
              payload: data.subarray(4),
            };
      sent.push(frame);
      this.#main.take(frame);
    }

    close(): void {
      this.#end(1000);
    }

    /** The first message was the token; the answer to it says that it is right. */
    #begin(): void {
      const main = new FakeMain(scene, overrides, (frame) => this.#tell(frame));
      this.#main = main;
      control.current = {
        sent,
        send: (frame) => this.#tell(frame as DownFrame),
        set: (name, value) => main.set(name, value),
        idsOf: (name) => main.idsOf(name),
        indexOf: (id) => main.indexOf(id),
        lose: () => {
          lost = true;
          this.#end(1006);
        },
      };
      queueMicrotask(() => this.onmessage?.({ data: '{}' }));
      if (scene.connection === 'gone') setTimeout(() => this.#end(1006), 400);
    }

    #tell(frame: DownFrame): void {
      // As over a network: never within the call that asked.
      setTimeout(() => {
        if (this.readyState === 1) this.onmessage?.({ data: encode(frame) });
      });
    }

    #end(code: number): void {
      if (this.readyState === 3) return;
      this.readyState = 3;
      this.onclose?.({ code });
    }
  };
}

function encode(frame: DownFrame): string | ArrayBuffer {
  if (frame.t !== 'data' || !(frame.payload instanceof Uint8Array)) return JSON.stringify(frame);
  const bytes = new Uint8Array(4 + frame.payload.length);
  new DataView(bytes.buffer).setUint32(0, frame.id);
  bytes.set(frame.payload, 4);
  return bytes.buffer;
}
