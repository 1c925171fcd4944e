import { SlipwayError } from '../base/errors.ts';
import type { KubeStatus } from './errors.ts';
import { connectionError, statusError } from './errors.ts';
import { BodyTooLargeError } from './response-body.ts';
import type { WebSocketRequest } from './transport.ts';

/** The typed error of an exchange that broke off. */
export function exchangeError(error: unknown, server: string, via: string | undefined): SlipwayError {
  if (!(error instanceof BodyTooLargeError)) return connectionError(error, server, via);
  return new SlipwayError({
    code: 'cluster.failed',
    message: `The answer of ${server} is too large.`,
    next: 'Ask for less, for instance with a selector.',
    origin: error,
  });
}

/** An answer that is not JSON. */
export function notKubernetes(server: string, error: unknown): SlipwayError {
  return new SlipwayError({
    code: 'cluster.failed',
    message: `What answers at ${server} is not a Kubernetes API.`,
    cause: 'The answer is not JSON; a proxy or a sign-in page may have sent it.',
    next: 'Check the server address in the kubeconfig and the proxy on the way.',
    origin: error,
  });
}

/** A proxy that does not open the way, so that its answer is not taken for the cluster's. */
export function proxyRefusal(via: string, code: number, reason: string): SlipwayError {
  return new SlipwayError({
    code: 'cluster.unreachable',
    message: `The proxy ${via} does not let through to the cluster.`,
    cause: `It answered CONNECT with ${code} ${reason}`.trim(),
    next:
      code === 407
        ? 'Put user name and password into the address of the proxy.'
        : 'Ask whoever runs the proxy to allow the cluster, or set NO_PROXY for it.',
  });
}

/** A WebSocket that the server, or something in between, did not open. */
export function refusedHandshake(
  status: KubeStatus,
  wanted: WebSocketRequest,
  via: string | undefined,
): SlipwayError {
  const subject = wanted.subject ?? wanted.path;
  const fromKubernetes =
    status.reason !== '' || status.code === 401 || status.code === 403 || status.code === 404;
  if (fromKubernetes) return statusError(status, { method: 'CONNECT', subject });
  return new SlipwayError({
    code: 'stream.unsupported',
    message: `A stream to ${subject} could not be opened: the WebSocket upgrade was not made${via === undefined ? '' : ` through ${via}`}.`,
    cause: `The answer was ${status.code}${status.message === '' ? '' : `: ${status.message}`}`,
    next: 'Check that every proxy and load balancer on the way to the cluster lets WebSockets through.',
  });
}
