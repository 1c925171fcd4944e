/**
 * Every code of an expected error, grouped by the layer that failed. Hosts map codes to texts and actions,
 * so a code is stable once released; a bug never has one and crashes loudly instead.
 */
export const errorCodes = [
  'usage.invalid',
  'kubeconfig.missing',
  'kubeconfig.unreadable',
  'kubeconfig.invalid',
  'kubeconfig.context-unknown',
  'credential.plugin-missing',
  'credential.plugin-failed',
  'credential.plugin-timeout',
  'credential.file-unreadable',
  'cluster.unreachable',
  'cluster.timeout',
  'cluster.certificate',
  'cluster.unauthorized',
  'cluster.forbidden',
  'cluster.not-found',
  'cluster.conflict',
  'cluster.gone',
  'cluster.invalid',
  'cluster.too-many-requests',
  'cluster.failed',
  'stream.refused',
  'stream.lost',
  'stream.unsupported',
  'rights.missing',
  'namespace.not-found',
  'workload.not-found',
  'workload.unsupported',
  'workload.no-running-pod',
  'workload.container-unknown',
  'admission.refused',
  'quota.exceeded',
  'pod.not-ready',
  'image.no-shell',
  'helper.missing',
  'helper.not-runnable',
  'helper.corrupted',
  'helper.lost',
  'helper.protocol',
  'helper.superseded',
  'sync.local-path-missing',
  'sync.local-path-unreadable',
  'sync.remote-path-missing',
  'sync.scan-failed',
  'sync.pair-in-use',
  'sync.rules-invalid',
  'sync.path-refused',
  'sync.command-failed',
  'disk.full',
  'disk.state-unusable',
  'disk.state-locked',
  'disk.read-only',
  'port.in-use',
  'port.forbidden',
  'cluster.unknown',
  'cluster.read-only',
  'cluster.confirmation-needed',
  'plan.outdated',
  'contract.invalid',
  'contract.too-much',
  'app.gone',
  'app.cancelled',
  'app.bug',
  'consent.refused',
  'settings.invalid',
  'session.live',
  'session.leftover',
  'session.not-found',
  'session.restore-incomplete',
  'session.ledger-unreadable',
  'sandbox.failed',
  'window.missing',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** An expected error as a plain value: what a host shows, and what crosses every boundary. */
export interface ErrorValue {
  readonly code: ErrorCode;
  /** One sentence: what is. */
  readonly message: string;
  /** One sentence: why, in the words of whoever refused where there are any. */
  readonly cause: string;
  /** One sentence: what the user does next. */
  readonly next: string;
}
