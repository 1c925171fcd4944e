import type { ErrorValue } from '../../contract/errors.ts';
import type { z } from 'zod';
import { wireLimits } from '../../contract/wire.ts';
import { isCancellation, isSlipwayError } from '../base/errors.ts';

/** Longest word on what is wrong with a message: a path in it may be the sender's own text. */
const maximumCauseLength = 300;

/** What a message gets that is not as the contract says; `part` is the field of the frame that was looked at. */
export function invalid(part: string, error: z.ZodError): ErrorValue {
  const [issue] = error.issues;
  const path = [part, ...(issue?.path ?? [])].filter((step) => step !== '').join('.');
  return invalidBecause(`${path}: ${issue?.message ?? 'not valid'}`);
}

export function invalidBecause(cause: string): ErrorValue {
  return {
    code: 'contract.invalid',
    message: 'The window asked for something in a form that Slipway does not take.',
    cause: cause.length > maximumCauseLength ? `${cause.slice(0, maximumCauseLength)}…` : cause,
    next: 'Reload the window: it may be of another version than Slipway.',
  };
}

export function tooMuch(cause: string): ErrorValue {
  return {
    code: 'contract.too-much',
    message: 'The window asked for too much at once.',
    cause,
    next: 'Try it with less, or reload the window.',
  };
}

export const tooLong = tooMuch(`A message may have ${wireLimits.messageBytes} bytes.`);

/** Says that it is Slipway's own mistake, and nothing of what is inside. */
export function bug(name: string): ErrorValue {
  return {
    code: 'app.bug',
    message: 'Something in Slipway itself went wrong.',
    cause: `What answers ${name} met something that it was not made for.`,
    next: 'Try it again, and restart Slipway if that does not help.',
  };
}

const cancelled: ErrorValue = {
  code: 'app.cancelled',
  message: 'It was cancelled.',
  cause: 'What it was part of was ended.',
  next: 'Ask for it again if you still want it.',
};

/** What a window is told of a handler's failure; undefined for a bug. */
export function expectedFailure(error: unknown): ErrorValue | undefined {
  if (isSlipwayError(error)) return error.toValue();
  return isCancellation(error) ? cancelled : undefined;
}
