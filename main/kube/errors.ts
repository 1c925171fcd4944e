import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { ErrorCode, ErrorValue } from '../../contract/errors.ts';
import { isSlipwayError, messageOf, SlipwayError } from '../base/errors.ts';

/** The part of a `Status` object that decisions are made on. */
export interface KubeStatus {
  /** HTTP status code. */
  readonly code: number;
  /** For instance `AlreadyExists`; empty when the server gave none. */
  readonly reason: string;
  /** The server's own words without control characters. */
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
  readonly retryAfterSeconds?: number | undefined;
}

/** The server answered, and refused. */
export class KubeStatusError extends SlipwayError {
  readonly status: KubeStatus;

  constructor(status: KubeStatus, options: ConstructorParameters<typeof SlipwayError>[0]) {
    super(options);
    this.name = 'KubeStatusError';
    this.status = status;
  }
}

/** Bound on a server's text in an error, in characters. */
const maximumMessageLength = 2048;

const statusSchema = z.object({
  kind: z.literal('Status'),
  message: z.string().catch(''),
  reason: z.string().catch(''),
  code: z.number().int().optional().catch(undefined),
  details: z
    .object({
      retryAfterSeconds: z.number().nonnegative().optional().catch(undefined),
      causes: z
        .array(
          z.object({
            reason: z.string().catch(''),
            message: z.string().catch(''),
            field: z.string().catch(''),
          }),
        )
        .catch([]),
    })
    .nullish()
    .catch(undefined),
});

/** Reads an error answer: a `Status` object, or whatever text a proxy in between may have sent. */
export function parseStatus(code: number, body: string): KubeStatus {
  const parsed = statusSchema.safeParse(parseJson(body));
  if (!parsed.success) {
    const text = /^\s*</.test(body) ? '' : printable(body).trim().slice(0, maximumMessageLength);
    return { code, reason: '', message: text, causes: [] };
  }
  const { message, reason, details } = parsed.data;
  return {
    code: parsed.data.code ?? code,
    reason,
    message: printable(message).slice(0, maximumMessageLength),
    causes: (details?.causes ?? [])
      .slice(0, 20)
      .map((cause) => ({ ...cause, message: printable(cause.message).slice(0, maximumMessageLength) })),
    retryAfterSeconds: details?.retryAfterSeconds,
  };
}

/** The typed error of an answer that is not a success. `subject` names what the request was about. */
export function statusError(
  status: KubeStatus,
  request: { readonly method: string; readonly subject: string },
): SlipwayError {
  const { code, message, next } = describeStatus(status, request.subject, verbOf(request.method));
  const details = status.causes
    .map((cause) => (cause.field === '' ? cause.message : `${cause.field}: ${cause.message}`))
    .filter((text) => text !== '' && !status.message.includes(text));
  const words = [status.message, ...details].filter((text) => text !== '').join('; ');
  const cause =
    words === '' ? `The server answered ${status.code} ${STATUS_CODES[status.code] ?? ''}`.trim() : words;
  return new KubeStatusError(status, { code, message, cause, next });
}

function describeStatus(
  status: KubeStatus,
  subject: string,
  verb: string,
): { readonly code: ErrorCode; readonly message: string; readonly next: string } {
  switch (status.code) {
    case 401:
      return {
        code: 'cluster.unauthorized',
        message: 'The cluster does not accept your sign-in.',
        next: 'Sign in again with the tool that made your kubeconfig, then retry.',
      };
    case 403:
      return {
        code: 'cluster.forbidden',
        message: `You may not ${verb} ${subject}.`,
        next: 'Ask whoever runs the cluster for this right; the preflight shows it as a Role to copy.',
      };
    case 404:
      return {
        code: 'cluster.not-found',
        message: `${capitalised(subject)} was not found.`,
        next: 'Check the name, the namespace and the context.',
      };
    case 409:
      return {
        code: 'cluster.conflict',
        message:
          status.reason === 'AlreadyExists'
            ? `${capitalised(subject)} exists already.`
            : `${capitalised(subject)} was changed by someone else meanwhile.`,
        next:
          status.reason === 'AlreadyExists'
            ? 'Use another name, or remove the one that is there.'
            : 'Try again.',
      };
    case 410:
      return { code: 'cluster.gone', message: `${capitalised(subject)} is gone.`, next: 'List it anew.' };
    case 400:
    case 422:
      return {
        code: 'cluster.invalid',
        message: `The cluster refused to ${verb} ${subject} as it is.`,
        next: 'Correct what the cause names.',
      };
    case 429:
      return {
        code: 'cluster.too-many-requests',
        message: 'The cluster is asked for too much at once and put this request off.',
        next: 'Wait a little and try again.',
      };
    default:
      return {
        code: 'cluster.failed',
        message: `The cluster failed to ${verb} ${subject}.`,
        next:
          status.code >= 500
            ? 'Try again; if it stays, ask whoever runs the cluster.'
            : 'See what the cause says.',
      };
  }
}

const unreachableCauses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens at that address.',
  ENOTFOUND: 'The name of the server is not known.',
  EAI_AGAIN: 'The name of the server could not be looked up.',
  EHOSTUNREACH: 'There is no way to that address.',
  ENETUNREACH: 'There is no way to that network.',
  ECONNRESET: 'The connection was closed from the other side.',
  EPIPE: 'The connection was closed from the other side.',
  ETIMEDOUT: 'The connection got no answer.',
};

const certificateCauses: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'It is signed by an authority that is not trusted.',
  UNABLE_TO_GET_ISSUER_CERT: 'It is signed by an authority that is not trusted.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'It is signed by an authority that is not trusted.',
  SELF_SIGNED_CERT_IN_CHAIN: 'It is signed by an authority that is not trusted.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'It is signed by itself.',
  CERT_SIGNATURE_FAILURE: 'It is not signed by the authority that the kubeconfig names.',
  CERT_HAS_EXPIRED: 'It has expired.',
  CERT_NOT_YET_VALID: 'It is not valid yet.',
  CERT_REVOKED: 'It was revoked.',
  CERT_UNTRUSTED: 'Its authority is not trusted.',
  CERT_REJECTED: 'It is rejected.',
  INVALID_CA: 'Its authority is not valid.',
  INVALID_PURPOSE: 'It is not meant for a server.',
};

/** The typed error of a request that got no answer. `via` names the proxy in between. */
export function connectionError(error: unknown, server: string, via: string | undefined): SlipwayError {
  if (error instanceof SlipwayError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const text = printable(error instanceof Error ? error.message : String(error)).slice(
    0,
    maximumMessageLength,
  );
  const through = via === undefined ? '' : ` through the proxy ${via}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || certificateCauses[code] !== undefined) {
    return new SlipwayError({
      code: 'cluster.certificate',
      message: `The certificate of ${server} cannot be trusted.`,
      cause: `${certificateCauses[code] ?? 'It is for other names.'} (${text})`,
      next:
        code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID'
          ? 'Check the clock of this machine, or ask whoever runs the cluster to renew it.'
          : 'Check server, tls-server-name and certificate-authority of the cluster in the kubeconfig.',
      origin: error,
    });
  }
  if (
    /alert.*certificate|CERTIFICATE_REQUIRED|ALERT_(BAD|UNKNOWN)_CERT|CERTIFICATE_(EXPIRED|REVOKED)/i.test(
      `${code} ${text}`,
    )
  ) {
    return new SlipwayError({
      code: 'cluster.unauthorized',
      message: 'The cluster does not accept your client certificate.',
      cause: text,
      next: 'Renew the certificate of the user in the kubeconfig.',
      origin: error,
    });
  }
  const known = unreachableCauses[code];
  return new SlipwayError({
    code: 'cluster.unreachable',
    message: `The cluster at ${server} cannot be reached${through}.`,
    cause: known === undefined ? text : `${known} (${text === '' ? code : text})`,
    next: 'Check that the cluster runs, that your network or VPN is up, and the server address in the kubeconfig.',
    origin: error,
  });
}

/** The error of a bound of our own that passed. */
export function timeoutError(
  server: string,
  what: string,
  milliseconds: number,
  via: string | undefined,
): SlipwayError {
  return new SlipwayError({
    code: 'cluster.timeout',
    message: `The cluster at ${server} did not answer in time${via === undefined ? '' : ` through the proxy ${via}`}.`,
    cause: `${what} took longer than ${milliseconds / 1000} s.`,
    next: 'Check your network or VPN, then try again.',
  });
}

/**
 * What a window is told of a cluster that could not be read. An object may have another form than Kubernetes gives
 * it, and what reads it then fails in a way of its own: that is the server's fault and must end nothing else.
 */
export function clusterErrorValue(error: unknown): ErrorValue {
  if (isSlipwayError(error)) return error.toValue();
  return {
    code: 'cluster.failed',
    message: 'The cluster gave an answer that could not be understood.',
    cause: printable(messageOf(error) ?? '').slice(0, 500),
    next: 'Check that the address in the kubeconfig is that of a Kubernetes API server.',
  };
}

/** A text of the other side without the characters that steer a terminal. Line breaks become blanks. */
export function printable(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function verbOf(method: string): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
    case 'PATCH':
      return 'change';
    case 'DELETE':
      return 'delete';
    case 'CONNECT':
      return 'open';
    default:
      return 'read';
  }
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
