import type { ErrorCode, ErrorValue } from '../../contract/errors.ts';

export interface SlipwayErrorOptions {
  readonly code: ErrorCode;
  readonly message: string;
  /** Why, as a sentence; defaults to the message of `origin`. */
  readonly cause?: string;
  /** What the user does next, as a sentence. */
  readonly next: string;
  /** The underlying failure, kept for logs. */
  readonly origin?: unknown;
}

/** An expected failure on its way up to a host; carries what {@link ErrorValue} shows. */
export class SlipwayError extends Error {
  readonly code: ErrorCode;
  readonly causeText: string;
  readonly next: string;

  constructor(options: SlipwayErrorOptions) {
    super(options.message, options.origin === undefined ? undefined : { cause: options.origin });
    this.name = 'SlipwayError';
    this.code = options.code;
    this.causeText = options.cause ?? messageOf(options.origin) ?? '';
    this.next = options.next;
  }

  toValue(): ErrorValue {
    return { code: this.code, message: this.message, cause: this.causeText, next: this.next };
  }
}

export function isSlipwayError(error: unknown, ...codes: readonly ErrorCode[]): error is SlipwayError {
  return error instanceof SlipwayError && (codes.length === 0 || codes.includes(error.code));
}

/** True for the error of an aborted signal: cancellation is silent, it is never shown and never logged as an error. */
export function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'CancellationError');
}

export function messageOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return error instanceof Error ? error.message : typeof error === 'string' ? error : JSON.stringify(error);
}

/** Makes an incomplete switch over a `kind` union a type error. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
