import { z } from 'zod';
import type { Selection } from './kubeconfig-select.ts';

/** What a plugin gave. */
export interface PluginCredential {
  readonly token?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Milliseconds since the epoch; undefined means that it stays valid. */
  readonly expiresAt?: number | undefined;
}

const answerSchema = z.object({
  kind: z.literal('ExecCredential'),
  apiVersion: z.string(),
  status: z
    .object({
      expirationTimestamp: z.iso.datetime({ offset: true }).nullish(),
      token: z.string().nullish(),
      clientCertificateData: z.string().nullish(),
      clientKeyData: z.string().nullish(),
    })
    .nullish(),
});

export type ExecAnswer =
  | { readonly kind: 'credential'; readonly credential: PluginCredential }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Judges what a plugin printed. Reasons never repeat it: it may hold a secret. */
export function parseExecAnswer(output: string, apiVersion: string): ExecAnswer {
  const parsed = answerSchema.safeParse(parseJson(output));
  if (!parsed.success) return unusable('It printed no ExecCredential object.');
  if (parsed.data.apiVersion !== apiVersion) {
    return unusable(`It answered in another version than ${apiVersion}, which the kubeconfig asks for.`);
  }
  const status = parsed.data.status ?? {};
  const token = status.token || undefined;
  const certificate = status.clientCertificateData || undefined;
  const key = status.clientKeyData || undefined;
  if ((certificate === undefined) !== (key === undefined)) {
    return unusable('It gave only one of client certificate and key.');
  }
  if (token === undefined && certificate === undefined) {
    return unusable('It gave neither a token nor a client certificate.');
  }
  // It becomes a header.
  if (token !== undefined && /[^\x21-\x7e]/.test(token))
    return unusable('Its token has characters that no token has.');
  const expiresAt = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) : undefined;
  return { kind: 'credential', credential: { token, certificate, key, expiresAt } };
}

function unusable(reason: string): ExecAnswer {
  return { kind: 'unusable', reason };
}

/** The extension of a cluster whose value is handed to plugins. */
const configExtension = 'client.authentication.k8s.io/exec';

/**
 * The value of KUBERNETES_EXEC_INFO. With `provideClusterInfo` it describes the cluster; `authority` is then the
 * content of the certificate authority, from wherever it was read.
 */
export function execInfo(selection: Selection, interactive: boolean, authority: string | undefined): string {
  const { cluster, user } = selection;
  const described = {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data':
      authority === undefined ? undefined : Buffer.from(authority).toString('base64'),
    'proxy-url': cluster['proxy-url'],
    'disable-compression': cluster['disable-compression'],
    config: cluster.extensions?.find(({ name }) => name === configExtension)?.extension ?? null,
  };
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: user.exec?.apiVersion,
    spec: { ...(user.exec?.provideClusterInfo ? { cluster: described } : {}), interactive },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
