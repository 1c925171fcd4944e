import { isSlipwayError, messageOf, SlipwayError } from '../base/errors.ts';
import { ProtocolError, safeText } from './check-message.ts';
import { Fatal_Reason, type Fatal } from './gen/slipway/helper/v1/helper.ts';

const reconnect = 'Nothing is lost; the connection is made again by itself.';

export function helperLost(cause: string, origin?: unknown): SlipwayError {
  return new SlipwayError({
    code: 'helper.lost',
    message: 'The helper in the container has ended.',
    cause,
    next: reconnect,
    ...(origin === undefined ? {} : { origin }),
  });
}

export function helperProtocol(cause: string, origin?: unknown): SlipwayError {
  return new SlipwayError({
    code: 'helper.protocol',
    message: 'The helper in the container says something that it must not say.',
    cause,
    next: 'Start again; if it happens again, something in the container interferes with the helper.',
    ...(origin === undefined ? {} : { origin }),
  });
}

export function helperMissing(cause: string): SlipwayError {
  return new SlipwayError({
    code: 'helper.missing',
    message: 'The helper is not in the container.',
    cause,
    next: 'It is put there again by itself; if that does not help, start again.',
  });
}

export function streamStalled(what: string): SlipwayError {
  return new SlipwayError({
    code: 'stream.lost',
    message: `The connection to the container gives no sign of life (${what}).`,
    cause: 'Nothing was received for 6 seconds.',
    next: reconnect,
  });
}

export function fromFatal(fatal: Fatal): SlipwayError {
  const cause = safeText(fatal.message);
  switch (fatal.reason) {
    case Fatal_Reason.REASON_SUPERSEDED:
      return new SlipwayError({
        code: 'helper.superseded',
        message: 'A newer connection has taken over this folder.',
        cause,
        next: 'Nothing has to be done unless the same session runs twice.',
      });
    case Fatal_Reason.REASON_ROOT:
      return remotePathMissing(cause);
    case Fatal_Reason.REASON_PROTOCOL:
      return helperProtocol(`The helper refused what it was sent: ${cause}`);
    default:
      return helperLost(cause);
  }
}

/** One request that the helper could not carry out; the connection lives on. */
export function requestFailed(cause: string): SlipwayError {
  return new SlipwayError({
    code: 'sync.scan-failed',
    message: 'The folder in the container could not be read.',
    cause,
    next: 'See that the folder exists and can be read by the user that the container runs as.',
  });
}

export function remotePathMissing(cause: string, root = 'asked for'): SlipwayError {
  return new SlipwayError({
    code: 'sync.remote-path-missing',
    message: `The folder ${root} cannot be opened in the container.`,
    cause,
    next: 'Name a folder that exists in the container, or have it made with --create-path.',
  });
}

/** Any failure of a connection as an expected error; bugs of ours keep their stack as origin. */
export function asConnectionError(error: unknown): SlipwayError {
  if (isSlipwayError(error)) return error;
  if (error instanceof ProtocolError) return helperProtocol(error.message, error);
  return helperLost(messageOf(error) ?? 'The reason is not known.', error);
}
