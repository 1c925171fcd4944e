import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { SlipwayError } from '../base/errors.ts';
import type { PluginCredential } from './exec-credential.ts';
import { createExecPlugin } from './exec-plugin.ts';
import type { ExecPlugin, PluginConsent, PluginInteraction } from './exec-plugin.ts';
import type { Selection } from './kubeconfig-select.ts';
import type { UserEntry } from './kubeconfig.ts';
import type { Environment } from './proxy.ts';

/** A token file is read again at most this often. */
export const tokenFileIntervalMs = 60_000;
/** Bound on a token, certificate or key file. */
const maximumFileBytes = 1024 * 1024;

/** What one request carries. Never logged. */
export interface Credential {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: {
    readonly ca?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
  };
  /** Equal as long as connections may be shared. */
  readonly fingerprint: string;
}

/** A user's sign-in at one cluster, kept in memory only. */
export interface Credentials extends AsyncDisposable {
  /** Runs a plugin or reads files when it is time to. */
  current(): Promise<Credential>;
  /** Tells that the server answered 401 to `used`; true when the next credential can be another one. */
  reject(used: Credential): Promise<boolean>;
}

export interface CredentialsOptions {
  readonly selection: Selection;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly interaction?: PluginInteraction | undefined;
  readonly consent?: PluginConsent | undefined;
  readonly fallbackPath?: (() => Promise<string | undefined>) | undefined;
  readonly pluginTimeoutMs?: number | undefined;
}

/**
 * Signs in as kubectl does: a token (its file wins over the inline one), a user name with password, a client
 * certificate beside either, and a plugin only where none of these is given. Over plain HTTP nothing secret is
 * sent.
 */
export function createCredentials(options: CredentialsOptions): Credentials {
  const { selection, clock } = options;
  const { user, cluster } = selection;
  const secure = isSecure(selection);
  const impersonation = impersonationHeaders(user);
  const files = createFileCache();
  const tokenFile = createTokenFile(user, clock);
  const authority = async (): Promise<string | undefined> =>
    textOf(cluster['certificate-authority-data']) ?? files.read(cluster['certificate-authority']);
  const plugin = usesPlugin(user) ? createPlugin(options, authority) : undefined;
  const issued = new WeakMap<Credential, PluginCredential>();
  let lastPair: { readonly cert: string; readonly key: string } | undefined;

  const certificate = async (): Promise<{ cert?: string; key?: string }> => {
    const cert = textOf(user['client-certificate-data']) ?? (await files.read(user['client-certificate']));
    const key = textOf(user['client-key-data']) ?? (await files.read(user['client-key']));
    if (cert === undefined || key === undefined) return {};
    // While a certificate is being rotated its two files do not belong together for a moment.
    if (lastPair !== undefined && !isPair(cert, key)) return lastPair;
    return (lastPair = { cert, key });
  };

  return {
    async current() {
      const ca = secure ? await authority() : undefined;
      if (!secure) return withFingerprint({ headers: impersonation, tls: {} });
      const granted = await plugin?.credential();
      const authorization = await authorizationHeader(user, tokenFile, granted?.token);
      const pair =
        granted?.certificate === undefined
          ? await certificate()
          : { cert: granted.certificate, key: granted.key };
      if (authorization === undefined && pair.cert === undefined) throw noCredential(selection);
      const credential = withFingerprint({
        headers: { ...impersonation, ...(authorization === undefined ? {} : { authorization }) },
        tls: { ca, ...pair },
      });
      if (granted !== undefined) issued.set(credential, granted);
      return credential;
    },
    async reject(used) {
      const granted = issued.get(used);
      if (granted !== undefined) plugin?.reject(granted);
      return granted !== undefined || tokenFile.reject(used.headers['authorization']);
    },
    async [Symbol.asyncDispose]() {
      await plugin?.[Symbol.asyncDispose]();
    },
  };
}

/** True when the server is reached over TLS. An address without scheme is, if the cluster has TLS settings. */
export function isSecure({ cluster }: Selection): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(cluster.server)) return /^https:/i.test(cluster.server);
  const authority = cluster['certificate-authority'] ?? cluster['certificate-authority-data'];
  return authority !== undefined || cluster['insecure-skip-tls-verify'] === true;
}

function usesPlugin(user: UserEntry): boolean {
  const others = [user.token, user.tokenFile, user.username, user.password];
  const certificate = user['client-certificate'] ?? user['client-certificate-data'];
  return user.exec !== undefined && others.every((value) => value === undefined) && certificate === undefined;
}

function createPlugin(
  options: CredentialsOptions,
  authority: () => Promise<string | undefined>,
): ExecPlugin | undefined {
  const { exec } = options.selection.user;
  if (exec === undefined) return undefined;
  return createExecPlugin({ ...options, exec, authority, timeoutMs: options.pluginTimeoutMs });
}

async function authorizationHeader(
  user: UserEntry,
  tokenFile: TokenFile,
  pluginToken: string | undefined,
): Promise<string | undefined> {
  const token = pluginToken ?? (await tokenFile.token());
  if (token !== undefined) return `Bearer ${token}`;
  if (user.username === undefined && user.password === undefined) return undefined;
  return `Basic ${Buffer.from(`${user.username ?? ''}:${user.password ?? ''}`).toString('base64')}`;
}

/** Impersonation headers as client-go writes them. */
export function impersonationHeaders(user: UserEntry): Record<string, string | readonly string[]> {
  if (user.as === undefined) return {};
  const headers: Record<string, string | readonly string[]> = { 'Impersonate-User': headerText(user.as) };
  if (user['as-uid'] !== undefined) headers['Impersonate-Uid'] = headerText(user['as-uid']);
  if (user['as-groups'] !== undefined) headers['Impersonate-Group'] = user['as-groups'].map(headerText);
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {})) {
    headers[`Impersonate-Extra-${escapeHeaderKey(key)}`] = values.map(headerText);
  }
  return headers;
}

/** UTF-8 bytes as they go over the wire, where Node would send other scripts as Latin-1. */
function headerText(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function escapeHeaderKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9!#$&'*+\-.^_`|~]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

interface TokenFile {
  token(): Promise<string | undefined>;
  /** Whether reading again can give another token than the refused one. */
  reject(authorization: string | readonly string[] | undefined): boolean;
}

function createTokenFile(user: UserEntry, clock: Clock): TokenFile {
  const path = user.tokenFile;
  let last: { readonly token: string; readonly at: number } | undefined;
  const read = async (file: string): Promise<string> => {
    const token = (await readBounded(file)).trim();
    if (token === '') throw unreadableFile(file, new Error('it is empty'));
    last = { token, at: clock.monotonic() };
    return token;
  };
  return {
    async token() {
      if (path === undefined) return user.token === undefined ? undefined : headerText(user.token);
      if (last !== undefined && clock.monotonic() - last.at < tokenFileIntervalMs) return last.token;
      // What was read before, or stands in the kubeconfig, may still be valid when the file is away for a moment.
      const fallback = last?.token ?? user.token;
      return fallback === undefined ? read(path) : read(path).catch(() => fallback);
    },
    reject(authorization) {
      if (path === undefined || last === undefined || authorization !== `Bearer ${last.token}`) return false;
      last = { ...last, at: -Infinity };
      return true;
    },
  };
}

interface FileCache {
  /** Content of a file, read again when it was changed. */
  read(path: string | undefined): Promise<string | undefined>;
}

function createFileCache(): FileCache {
  const cache = new Map<string, { readonly stamp: string; readonly content: string }>();
  return {
    async read(path) {
      if (path === undefined) return undefined;
      const known = cache.get(path);
      try {
        const { mtimeMs, ctimeMs, size, ino } = await stat(path);
        const stamp = [mtimeMs, ctimeMs, size, ino].join(' ');
        if (known?.stamp === stamp) return known.content;
        const content = await readBounded(path);
        cache.set(path, { stamp, content });
        return content;
      } catch (error) {
        if (known !== undefined) return known.content;
        throw unreadableFile(path, error);
      }
    },
  };
}

async function readBounded(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > maximumFileBytes)
      throw new Error(`it is larger than ${maximumFileBytes} bytes`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

function unreadableFile(path: string, error: unknown): SlipwayError {
  if (error instanceof SlipwayError) return error;
  return new SlipwayError({
    code: 'credential.file-unreadable',
    message: `The file ${path}, which the kubeconfig names for signing in, cannot be used.`,
    next: 'Check that the file exists and that you may read it, or sign in again.',
    origin: error,
  });
}

function noCredential({ contextName, userName }: Selection): SlipwayError {
  return new SlipwayError({
    code: 'kubeconfig.invalid',
    message: `The context ${contextName} has nothing to sign in with.`,
    cause:
      userName === '' ? 'It names no user.' : `The user "${userName}" has no token, certificate or plugin.`,
    next: 'Get a new kubeconfig from whoever runs the cluster, or choose another context.',
  });
}

function isPair(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function textOf(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString();
}

function withFingerprint(credential: Omit<Credential, 'fingerprint'>): Credential {
  const { ca = '', cert = '', key = '' } = credential.tls;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([ca, cert, key]))
    .digest('hex');
  return { ...credential, fingerprint };
}
