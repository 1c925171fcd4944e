import type { ErrorValue } from '../../contract/errors.ts';

/** An expected failure that main, or the way to it, has told. */
export class RemoteError extends Error {
  readonly value: ErrorValue;

  constructor(value: ErrorValue) {
    super(value.message);
    this.name = 'RemoteError';
    this.value = value;
  }
}

/** What a call gets while there is no connection: it may have been done, or not. */
export const goneValue: ErrorValue = {
  code: 'app.gone',
  message: 'The connection to Slipway is lost.',
  cause: 'The process behind this window does not answer; it may have ended.',
  next: 'The window connects again by itself. Look at what is there before you repeat what you asked for.',
};

export const tooMuchValue: ErrorValue = {
  code: 'contract.too-much',
  message: 'That is too much for one message.',
  cause: 'A message of the window may have 1 MiB.',
  next: 'Try it with less at once.',
};
